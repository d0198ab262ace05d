// The loops behind code_rows_batch, over the `Codes` of code_scan.hpp and two more of its members:
//
//   kRows, kQueries      the block whose sums stay in registers: each load serves kRows or kQueries steps
//
// kRows is 4, and kRows * kQueries a multiple of kGroup. Internal linkage, as there.
#pragma once

#include "simd/code_scan.hpp"

namespace memspan {
namespace {

// Rows that stay in the first-level cache while all the queries pass over them.
constexpr size_t kTileBytes = 16384;
constexpr size_t kTileRows = kTileBytes / kLine;  // at most, when rows are short

// Fetches the rows that lie so many bytes behind these.
template <size_t kRows>
inline __attribute__((always_inline)) void fetch_rows(const uint8_t* rows, size_t bytes, size_t stride) {
  // An integer, because it may lie past the last row, where a pointer may not; fetching there is harmless.
  const uintptr_t ahead = reinterpret_cast<uintptr_t>(rows) + bytes;
  for (size_t at = 0; at < kRows * stride; at += kLine) __builtin_prefetch(reinterpret_cast<const void*>(ahead + at), 0, 2);
}

// out[q * count + r] for kQueries queries and kRows rows.
template <typename Codes>
inline __attribute__((always_inline)) void score_block(const int8_t* queries, const int32_t* offsets,
                                                       const uint8_t* rows, size_t stride, const float* scales,
                                                       size_t count, size_t n, float* out) {
  constexpr size_t kRows = Codes::kRows;
  constexpr size_t kQueries = Codes::kQueries;
  typename Codes::Sum sums[kQueries * kRows];
#pragma GCC unroll 16
  for (auto& sum : sums) sum = Codes::zero();
  for (size_t i = 0; i < n; i += Codes::kStep) {
    typename Codes::Row row[kRows];
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) row[r] = Codes::row(rows + r * stride + i);
#pragma GCC unroll 16
    for (size_t q = 0; q < kQueries; ++q) {
      const typename Codes::Query query = Codes::query(queries + q * n + i);
#pragma GCC unroll 16
      for (size_t r = 0; r < kRows; ++r) sums[q * kRows + r] = Codes::step(sums[q * kRows + r], row[r], query);
    }
  }
  float scores[kQueries * kRows];
#pragma GCC unroll 16
  for (size_t at = 0; at < kQueries * kRows; at += Codes::kGroup) {
    Codes::complete(sums + at, offsets + at, scales, scores + at);
  }
#pragma GCC unroll 16
  for (size_t q = 0; q < kQueries; ++q) __builtin_memcpy(out + q * count, scores + q * kRows, kRows * sizeof(float));
}

template <typename Codes>
void code_rows_batch(const int8_t* queries, const int32_t* offsets, size_t query_count, const uint8_t* rows,
                     size_t stride, const float* scales, size_t count, size_t n, float* out) {
  constexpr size_t kRows = Codes::kRows;
  constexpr size_t kQueries = Codes::kQueries;
  constexpr size_t kRepeats = Codes::kGroup / kRows;
  const size_t tile = kTileBytes / n > kRows ? kTileBytes / n / kRows * kRows : kRows;
  float tile_scales[kTileRows * kRepeats];  // of kRows rows, kRepeats times, then of the next rows
  for (size_t first = 0; first < count; first += tile) {
    const size_t end = count - first < tile ? count : first + tile;
    const size_t whole = first + (end - first) / kRows * kRows;
    for (size_t i = first; i < whole; i += kRows) {
      float* const repeated = tile_scales + (i - first) * kRepeats;
      for (size_t at = 0; at < Codes::kGroup; ++at) repeated[at] = scales[i + at % kRows];
    }
    size_t q = 0;
    for (; q + kQueries <= query_count; q += kQueries) {
      int32_t block_offsets[kQueries * kRows];
      for (size_t at = 0; at < kQueries * kRows; ++at) block_offsets[at] = offsets[q + at / kRows];
      for (size_t i = first; i < whole; i += kRows) {
        if (q == 0) fetch_rows<kRows>(rows + i * stride, tile * stride, stride);
        score_block<Codes>(queries + q * n, block_offsets, rows + i * stride, stride,
                           tile_scales + (i - first) * kRepeats, count, n, out + q * count + i);
      }
      for (size_t one = q; whole < end && one < q + kQueries; ++one) {
        code_rows<Codes>(queries + one * n, offsets[one], rows + whole * stride, stride, scales + whole, end - whole, n,
                         out + one * count + whole);
      }
    }
    for (; q < query_count; ++q) {
      code_rows<Codes>(queries + q * n, offsets[q], rows + first * stride, stride, scales + first, end - first, n,
                       out + q * count + first);
    }
  }
}

}  // namespace
}  // namespace memspan
