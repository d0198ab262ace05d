// The loop of a small net's hidden layer, written once over an `Isa` that each per-ISA translation unit defines, beside what
// dot_blocks.hpp asks of it:
//
//   fill(value)          a register of this value
//   soften(s)            s / sqrt(1 + s^2)
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

// Units lie side by side: each value goes to all of them, so that no sum over lanes is needed before the last.
template <typename Isa>
float hidden_layer(const float* values, size_t count, const float* weights, const float* bias, const float* out) {
  constexpr size_t kVectors = kHiddenUnits / Isa::kLanes;
  static_assert(kVectors * Isa::kLanes == kHiddenUnits && kVectors % Isa::kSums == 0);
  typename Isa::Vector units[kVectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) units[v] = Isa::load(bias + v * Isa::kLanes);
#pragma GCC unroll 4
  for (size_t i = 0; i < count; ++i) {
    const typename Isa::Vector value = Isa::fill(values[i]);
    const float* const row = weights + i * kHiddenUnits;
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) units[v] = Isa::multiply_add(value, Isa::load(row + v * Isa::kLanes), units[v]);
  }
  typename Isa::Vector sums[Isa::kSums];
#pragma GCC unroll 8
  for (size_t s = 0; s < Isa::kSums; ++s) sums[s] = Isa::zero();
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) {
    typename Isa::Vector& sum = sums[v % Isa::kSums];
    sum = Isa::multiply_add(Isa::load(out + v * Isa::kLanes), Isa::soften(units[v]), sum);
  }
  return Isa::reduce(sums);
}

}  // namespace
}  // namespace memspan
