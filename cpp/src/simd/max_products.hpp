// The loops behind max_products (kernels.hpp), over the same `Blocks` as code_blocks.hpp, of which they want:
//
//   Sum, Words, Best     registers: sums of kLanes tokens (int32), two values of each of kLanes tokens as 16 bits, the
//                        best product so far of each of kLanes places (float)
//   words(p)             of 2 * kLanes bytes, widened
//   step(sum, words, p)  p: two numbers of the query; sum + the products with them, token by token
//   none()               the least float
//   better(best, sum, scales)   the larger of best and sum * scales, place by place
//   largest(best)
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/code_blocks.hpp"

namespace memspan {
namespace {

static_assert(kBlockTokens == kSideBySide);
constexpr size_t kScaleBytes = kSideBySide * sizeof(float);
constexpr size_t kMostTogether = 8;  // queries: with more, their sums would not stay in registers

// Several queries at a time: each token that is loaded serves all of them.
template <typename Blocks, size_t kQueries>
void max_products_of(const int16_t* queries, const uint8_t* blocks, size_t block_count, size_t n, float* out) {
  typename Blocks::Best best[kQueries];
#pragma GCC unroll 8
  for (auto& each : best) each = Blocks::none();
  const size_t block_bytes = kScaleBytes + n * kSideBySide;
  for (size_t b = 0; b < block_count; ++b) {
    const uint8_t* const block = blocks + b * block_bytes;
    for (size_t lane = 0; lane < kSideBySide; lane += Blocks::kLanes) {
      const auto* const tokens = reinterpret_cast<const int8_t*>(block + kScaleBytes + 2 * lane);
      typename Blocks::Sum sums[kQueries];
#pragma GCC unroll 8
      for (auto& sum : sums) sum = Blocks::zero();
      for (size_t i = 0; i < n; i += 2) {
        const typename Blocks::Words words = Blocks::words(tokens + i * kSideBySide);
#pragma GCC unroll 8
        for (size_t q = 0; q < kQueries; ++q) sums[q] = Blocks::step(sums[q], words, queries + q * n + i);
      }
      const auto* const scales = reinterpret_cast<const float*>(block) + lane;
#pragma GCC unroll 8
      for (size_t q = 0; q < kQueries; ++q) best[q] = Blocks::better(best[q], sums[q], scales);
    }
  }
#pragma GCC unroll 8
  for (size_t q = 0; q < kQueries; ++q) out[q] = Blocks::largest(best[q]);
}

// As few rounds as there have to be, of about as many queries each: a sum waits for itself, so few at a time take as
// long as many.
template <typename Blocks>
void max_products(const int16_t* queries, size_t query_count, const uint8_t* blocks, size_t block_count, size_t n,
                  float* out) {
  using Loop = void (*)(const int16_t*, const uint8_t*, size_t, size_t, float*);
  static constexpr Loop kLoops[kMostTogether + 1] = {
      nullptr,
      &max_products_of<Blocks, 1>,
      &max_products_of<Blocks, 2>,
      &max_products_of<Blocks, 3>,
      &max_products_of<Blocks, 4>,
      &max_products_of<Blocks, 5>,
      &max_products_of<Blocks, 6>,
      &max_products_of<Blocks, 7>,
      &max_products_of<Blocks, 8>,
  };
  size_t rounds = (query_count + kMostTogether - 1) / kMostTogether;
  for (size_t q = 0; q < query_count; --rounds) {
    const size_t together = (query_count - q + rounds - 1) / rounds;
    kLoops[together](queries + q * n, blocks, block_count, n, out + q);
    q += together;
  }
}

}  // namespace
}  // namespace memspan
