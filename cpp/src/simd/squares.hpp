// The loops that bring vectors to length 1, in double, written once over an `Isa` that each per-ISA translation unit defines:
//
//   Doubles, kDoubles         a register of kDoubles doubles; kDoubles divides kSquareLanes
//   no_doubles(), fill_doubles(value), widen(p)    zeros; one value; kDoubles floats
//   add_square(sum, v)        sum + v * v
//   store_doubles(v, out), store_floats(v, factor, out)    v; v * factor, as floats
//
// The same bits at every level: the square of a float is exact in a double, so that it does not matter whether it is
// rounded before it is added, and the additions are the same in number and order.
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kSquareLanes = 16;  // sums apart, because each addition to a single one would wait for the one before

inline double total_of_lanes(double (&lanes)[kSquareLanes]) {
  for (size_t half = kSquareLanes / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

template <typename Isa>
double square_sum(const float* vector, size_t n) {
  constexpr size_t kRegisters = kSquareLanes / Isa::kDoubles;
  typename Isa::Doubles sums[kRegisters];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRegisters; ++r) sums[r] = Isa::no_doubles();
  size_t i = 0;
  for (; i + kSquareLanes <= n; i += kSquareLanes) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRegisters; ++r) sums[r] = Isa::add_square(sums[r], Isa::widen(vector + i + r * Isa::kDoubles));
  }
  double lanes[kSquareLanes];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRegisters; ++r) Isa::store_doubles(sums[r], lanes + r * Isa::kDoubles);
  for (size_t lane = 0; i < n; ++i, ++lane) lanes[lane] += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
  return total_of_lanes(lanes);
}

template <typename Isa>
void multiply(const float* vector, double factor, size_t n, float* out) {
  const typename Isa::Doubles factors = Isa::fill_doubles(factor);
  size_t i = 0;
  for (; i + Isa::kDoubles <= n; i += Isa::kDoubles) Isa::store_floats(Isa::widen(vector + i), factors, out + i);
  for (; i < n; ++i) out[i] = static_cast<float>(static_cast<double>(vector[i]) * factor);
}

}  // namespace
}  // namespace memspan
