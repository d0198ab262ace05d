// The loops behind code_blocks and nibble_block_sums (kernels.hpp), over a `Blocks` that each per-ISA unit defines:
//
//   Sum, Row             registers: sums of kLanes rows (int32), four codes of each of kLanes rows
//   kLanes               divides 16
//   zero(), row(p), step(sum, row, p)   p of step: the query's four codes; sum + the products of them, row by row
//   at_least(sum, slack, least)         bit i: sum[i] + slack[i] >= least
//   low_nibbles(row), high_nibbles(row) half of the bits of each code, as a row for step
//   store(sum, out)                     as floats
//
// Rows are side by side in a register, so that no sum has to be completed across lanes, and a comparison of sixteen
// rows is one instruction: a pair costs about a nanosecond less than with code_rows_batch, which is most of it.
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include <cfloat>

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kSideBySide = 16;
constexpr size_t kQuads = 16;  // of 64 codes
constexpr size_t kQuadBytes = 4 * kSideBySide;

// Several queries at a time: each row that is loaded serves all of them.
template <typename Blocks, size_t kQueries>
inline __attribute__((always_inline)) void score_code_block(const int8_t* queries, const int32_t* least,
                                                            const uint8_t* block, const int32_t* slack, size_t stride,
                                                            uint16_t* out) {
  for (size_t q = 0; q < kQueries; ++q) out[q * stride] = 0;
#pragma GCC unroll 4
  for (size_t lane = 0; lane < kSideBySide; lane += Blocks::kLanes) {
    typename Blocks::Sum sums[kQueries];
#pragma GCC unroll 8
    for (auto& sum : sums) sum = Blocks::zero();
#pragma GCC unroll 16
    for (size_t quad = 0; quad < kQuads; ++quad) {
      const typename Blocks::Row row = Blocks::row(block + quad * kQuadBytes + 4 * lane);
#pragma GCC unroll 8
      for (size_t q = 0; q < kQueries; ++q) sums[q] = Blocks::step(sums[q], row, queries + 64 * q + 4 * quad);
    }
#pragma GCC unroll 8
    for (size_t q = 0; q < kQueries; ++q) {
      const uint32_t found = Blocks::at_least(sums[q], slack + lane, least[q]);
      out[q * stride] = static_cast<uint16_t>(out[q * stride] | found << lane);
    }
  }
}

template <typename Blocks>
void code_blocks(const int8_t* queries, const int32_t* least, size_t query_count, const uint8_t* blocks,
                 const int32_t* slack, size_t block_count, uint16_t* out) {
  constexpr size_t kQueries = 8;
  constexpr size_t kBlockBytes = kQuads * kQuadBytes;
  size_t q = 0;
  for (; q + kQueries <= query_count; q += kQueries) {
    for (size_t b = 0; b < block_count; ++b) {
      score_code_block<Blocks, kQueries>(queries + 64 * q, least + q, blocks + b * kBlockBytes, slack + b * kSideBySide,
                                         block_count, out + q * block_count + b);
    }
  }
  for (; q < query_count; ++q) {
    for (size_t b = 0; b < block_count; ++b) {
      score_code_block<Blocks, 1>(queries + 64 * q, least + q, blocks + b * kBlockBytes, slack + b * kSideBySide,
                                  block_count, out + q * block_count + b);
    }
  }
}

template <typename Blocks>
void nibble_block_sums(const int8_t* query, const uint8_t* blocks, size_t block_count, size_t n, float* out) {
  constexpr size_t kUnits = 8;  // of eight codes, at a time
  // Blocks are read once, and most come from memory: measured, of 1 to 8 KiB ahead this is the fastest.
  constexpr size_t kAhead = 8192;
  for (size_t b = 0; b < block_count; ++b, out += kSideBySide) {
    typename Blocks::Sum sums[kSideBySide / Blocks::kLanes];
#pragma GCC unroll 4
    for (auto& sum : sums) sum = Blocks::zero();
    for (size_t first = 0; first < n; first += 8 * kUnits, blocks += kUnits * kQuadBytes) {
#pragma GCC unroll 8
      for (size_t unit = 0; unit < kUnits; ++unit) {
        // An integer, because it may lie past the last block, where a pointer may not; fetching there is harmless.
        __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(blocks) + unit * kQuadBytes + kAhead));
#pragma GCC unroll 4
        for (size_t i = 0; i < kSideBySide / Blocks::kLanes; ++i) {
          const typename Blocks::Row row = Blocks::row(blocks + unit * kQuadBytes + 4 * Blocks::kLanes * i);
          sums[i] = Blocks::step(sums[i], Blocks::low_nibbles(row), query + first + 8 * unit);
          sums[i] = Blocks::step(sums[i], Blocks::high_nibbles(row), query + first + 8 * unit + 4);
        }
      }
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < kSideBySide / Blocks::kLanes; ++i) Blocks::store(sums[i], out + Blocks::kLanes * i);
  }
}

// In plain C++, for processors without a better instruction.
struct PlainBlocks {
  static constexpr size_t kLanes = 16;
  struct Sum {
    int32_t of[kLanes];
  };
  using Row = const uint8_t*;

  static Sum zero() { return {}; }
  static Row row(const uint8_t* p) { return p; }
  static Sum step(Sum sum, Row row, const int8_t* query) {
    for (size_t i = 0; i < kLanes; ++i) {
      sum.of[i] += row[4 * i] * query[0] + row[4 * i + 1] * query[1] + row[4 * i + 2] * query[2] + row[4 * i + 3] * query[3];
    }
    return sum;
  }
  struct Nibbles {
    const uint8_t* of;
    int shift;
    int operator[](size_t i) const { return of[i] >> shift & 15; }
  };
  static Nibbles low_nibbles(Row row) { return {row, 0}; }
  static Nibbles high_nibbles(Row row) { return {row, 4}; }
  static Sum step(Sum sum, Nibbles row, const int8_t* query) {
    for (size_t i = 0; i < kLanes; ++i) {
      sum.of[i] += row[4 * i] * query[0] + row[4 * i + 1] * query[1] + row[4 * i + 2] * query[2] + row[4 * i + 3] * query[3];
    }
    return sum;
  }
  static uint32_t at_least(const Sum& sum, const int32_t* slack, int32_t least) {
    uint32_t found = 0;
    for (size_t i = 0; i < kLanes; ++i) found |= static_cast<uint32_t>(sum.of[i] + slack[i] >= least) << i;
    return found;
  }

  static void store(const Sum& sum, float* out) {
    for (size_t i = 0; i < kLanes; ++i) out[i] = static_cast<float>(sum.of[i]);
  }

  struct Best {
    float of[kLanes];
  };
  using Words = const int8_t*;

  static Words words(const int8_t* p) { return p; }
  static Sum step(Sum sum, Words words, const int16_t* query) {
    for (size_t i = 0; i < kLanes; ++i) sum.of[i] += words[2 * i] * query[0] + words[2 * i + 1] * query[1];
    return sum;
  }
  static Best none() {
    Best best;
    for (float& each : best.of) each = -FLT_MAX;
    return best;
  }
  static Best better(Best best, const Sum& sum, const float* scales) {
    for (size_t i = 0; i < kLanes; ++i) {
      const float product = static_cast<float>(sum.of[i]) * scales[i];
      best.of[i] = best.of[i] < product ? product : best.of[i];
    }
    return best;
  }
  static float largest(const Best& best) {
    float most = best.of[0];
    for (const float each : best.of) most = most < each ? each : most;
    return most;
  }
};

}  // namespace
}  // namespace memspan
