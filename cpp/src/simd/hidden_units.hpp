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

// Units lie side by side: each value goes to all of them, so that no sum over lanes is needed before the last. Of a row
// alone each step would wait for the one before.
template <typename Isa, size_t kRows>
inline __attribute__((always_inline)) void hidden_rows(const float* values, size_t count, const float* weights,
                                                       const float* bias, const float* out, float* answers) {
  constexpr size_t kVectors = kHiddenUnits / Isa::kLanes;
  static_assert(kVectors * Isa::kLanes == kHiddenUnits && kVectors % Isa::kSums == 0);
  typename Isa::Vector units[kRows][kVectors];
#pragma GCC unroll 8
  for (size_t v = 0; v < kVectors; ++v) {
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) units[r][v] = Isa::load(bias + v * Isa::kLanes);
  }
#pragma GCC unroll 2
  for (size_t i = 0; i < count; ++i) {
    const float* const row = weights + i * kHiddenUnits;
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      const typename Isa::Vector weight = Isa::load(row + v * Isa::kLanes);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) {
        units[r][v] = Isa::multiply_add(Isa::fill(values[r * count + i]), weight, units[r][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    typename Isa::Vector sums[Isa::kSums];
#pragma GCC unroll 8
    for (size_t s = 0; s < Isa::kSums; ++s) sums[s] = Isa::zero();
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      typename Isa::Vector& sum = sums[v % Isa::kSums];
      sum = Isa::multiply_add(Isa::load(out + v * Isa::kLanes), Isa::soften(units[r][v]), sum);
    }
    answers[r] = Isa::reduce(sums);
  }
}

template <typename Isa>
void hidden_layer(const float* values, size_t rows, size_t count, const float* weights, const float* bias,
                  const float* out, float* answers) {
  constexpr size_t kTogether = Isa::kLanes >= 16 ? 4 : 2;  // as many as the registers hold
  size_t r = 0;
  for (; r + kTogether <= rows; r += kTogether) {
    hidden_rows<Isa, kTogether>(values + r * count, count, weights, bias, out, answers + r);
  }
  for (; r < rows; ++r) hidden_rows<Isa, 1>(values + r * count, count, weights, bias, out, answers + r);
}

}  // namespace
}  // namespace memspan
