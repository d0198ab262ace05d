// The loops behind the kernels over codes, written once over a `Codes` that each per-ISA translation unit defines:
//
//   Sum, Row, Query      registers: partial sums of products (int32), kStep codes of a row, kStep codes of a query
//   kStep                codes that one step multiplies; divides 64
//   kGroup               rows whose sums are completed together
//   kResident            the longest query, in steps, that code_rows keeps in registers
//   kRows, kQueries      the block of code_rows_batch, with kGroup a multiple of kRows
//   zero(), row(p), query(p), step(sum, row, query)
//   keep(query)          stops the compiler from reading a query again from memory
//   complete(sums, offsets, scales, out)   out[i] = scales[i] * float(total of sums[i] - offsets[i]) for i < kGroup
//
// Rows are read one after the other, in the order of their addresses, and nothing is fetched ahead by hand: that comes
// to nine tenths or more of the bandwidth of a plain read from every level of memory. Four rows at a time read as fast
// from the second level, but a tenth slower from the third and 40 % slower from memory, with or without prefetching.
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kLine = 64;

// Gathered rows are fetched this many bytes, and at least one row, before they are needed.
constexpr size_t kGatherBytes = 4096;

// Rows of a batch that stay in the first-level cache while all the queries pass over them.
constexpr size_t kTileBytes = 16384;

// out[i] = score of row i for i < count, in order. `sum(i)` gives the partial sums of row i; `scales(i, n, room)`
// points to the scales of the n rows from i on, of which it may have made a copy in `room`.
template <typename Codes, typename SumOf, typename ScalesOf>
inline __attribute__((always_inline)) void score(SumOf sum, ScalesOf scales, int32_t offset, size_t count, float* out) {
  constexpr size_t kGroup = Codes::kGroup;
  typename Codes::Sum sums[kGroup];
  int32_t offsets[kGroup];
  float room[kGroup] = {};
  float last[kGroup];
  for (size_t r = 0; r < kGroup; ++r) {
    sums[r] = Codes::zero();
    offsets[r] = offset;
  }
  for (size_t i = 0; i < count; i += kGroup) {
    const size_t here = count - i < kGroup ? count - i : kGroup;
#pragma GCC unroll 1
    for (size_t r = 0; r < here; ++r) sums[r] = sum(i + r);
    float* const to = here == kGroup ? out + i : last;
    Codes::complete(sums, offsets, scales(i, here, room), to);
    for (size_t r = 0; to == last && r < here; ++r) out[i + r] = last[r];
  }
}

template <typename Codes>
inline __attribute__((always_inline)) typename Codes::Sum sum_of_row(const int8_t* query, const uint8_t* row,
                                                                     size_t n) {
  constexpr size_t kStep = Codes::kStep;
  constexpr size_t kSteps = 2 * kLine / kStep;
  typename Codes::Sum sum = Codes::zero();
  size_t i = 0;
  for (; i + kSteps * kStep <= n; i += kSteps * kStep) {
#pragma GCC unroll 8
    for (size_t k = i; k < i + kSteps * kStep; k += kStep)
      sum = Codes::step(sum, Codes::row(row + k), Codes::query(query + k));
  }
#pragma GCC unroll 1
  for (; i < n; i += kStep) sum = Codes::step(sum, Codes::row(row + i), Codes::query(query + i));
  return sum;
}

struct ScalesInOrder {
  const float* scales;
  size_t whole;  // rows of a whole group, whose scales need no copy
  const float* operator()(size_t i, size_t n, float* room) const {
    if (n == whole) return scales + i;
    for (size_t r = 0; r < n; ++r) room[r] = scales[i + r];
    return room;
  }
};

// code_rows for n == kSteps * kStep, with the query in registers.
template <typename Codes, size_t kSteps>
void rows_of_resident(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                      size_t count, float* out) {
  typename Codes::Query steps[kSteps];
#pragma GCC unroll 16
  for (size_t k = 0; k < kSteps; ++k) {
    steps[k] = Codes::query(query + k * Codes::kStep);
    Codes::keep(steps[k]);
  }
  const auto sum_of = [&](size_t i) __attribute__((always_inline)) {
    const uint8_t* row = rows + i * stride;
    typename Codes::Sum sum = Codes::zero();
#pragma GCC unroll 16
    for (size_t k = 0; k < kSteps; ++k) sum = Codes::step(sum, Codes::row(row + k * Codes::kStep), steps[k]);
    return sum;
  };
  score<Codes>(sum_of, ScalesInOrder{scales, Codes::kGroup}, offset, count, out);
}

template <typename Codes, size_t kSteps = Codes::kResident>
void code_rows(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
               size_t count, size_t n, float* out) {
  if constexpr (kSteps > 0) {
    if (n == kSteps * Codes::kStep) {
      rows_of_resident<Codes, kSteps>(query, offset, rows, stride, scales, count, out);
    } else {
      code_rows<Codes, kSteps - 1>(query, offset, rows, stride, scales, count, n, out);
    }
  } else {
    const auto sum_of = [=](size_t i) { return sum_of_row<Codes>(query, rows + i * stride, n); };
    score<Codes>(sum_of, ScalesInOrder{scales, Codes::kGroup}, offset, count, out);
  }
}

template <typename Codes>
void code_gather(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                 const uint32_t* positions, size_t count, size_t n, float* out) {
  const size_t ahead = kGatherBytes > n ? kGatherBytes / n : 1;
  const auto fetch = [=](size_t i) {
    const uint8_t* row = rows + positions[i] * stride;
    for (size_t at = 0; at < n; at += kLine) __builtin_prefetch(row + at);
    __builtin_prefetch(scales + positions[i]);
  };
  for (size_t i = 0; i < ahead && i < count; ++i) fetch(i);
  const auto sum_of = [=](size_t i) __attribute__((always_inline)) {
    if (i + ahead < count) fetch(i + ahead);
    return sum_of_row<Codes>(query, rows + positions[i] * stride, n);
  };
  const auto scales_of = [=](size_t i, size_t here, float* room) {
    for (size_t r = 0; r < here; ++r) room[r] = scales[positions[i + r]];
    return room;
  };
  score<Codes>(sum_of, scales_of, offset, count, out);
}

// out[q * count + r] for r < kRows and q < kQueries: what is loaded is used kRows or kQueries times.
template <typename Codes>
inline __attribute__((always_inline)) void block_of_batch(const int8_t* queries, const int32_t* offsets,
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
  for (size_t at = 0; at < kQueries * kRows; at += Codes::kGroup)
    Codes::complete(sums + at, offsets + at, scales, scores + at);
#pragma GCC unroll 16
  for (size_t at = 0; at < kQueries * kRows; ++at) out[at / kRows * count + at % kRows] = scores[at];
}

template <typename Codes>
void code_rows_batch(const int8_t* queries, const int32_t* offsets, size_t query_count, const uint8_t* rows,
                     size_t stride, const float* scales, size_t count, size_t n, float* out) {
  constexpr size_t kRows = Codes::kRows;
  constexpr size_t kQueries = Codes::kQueries;
  const size_t tile = kTileBytes / n > kRows ? kTileBytes / n / kRows * kRows : kRows;
  for (size_t first = 0; first < count; first += tile) {
    const size_t end = count - first < tile ? count : first + tile;
    const size_t whole = first + (end - first) / kRows * kRows;
    size_t q = 0;
    for (; q + kQueries <= query_count; q += kQueries) {
      int32_t block_offsets[kQueries * kRows];
      for (size_t at = 0; at < kQueries * kRows; ++at) block_offsets[at] = offsets[q + at / kRows];
      for (size_t i = first; i < whole; i += kRows) {
        float block_scales[Codes::kGroup];
        for (size_t at = 0; at < Codes::kGroup; ++at) block_scales[at] = scales[i + at % kRows];
        block_of_batch<Codes>(queries + q * n, block_offsets, rows + i * stride, stride, block_scales, count, n,
                              out + q * count + i);
      }
      for (size_t left = q; left < q + kQueries; ++left) {
        code_rows<Codes>(queries + left * n, offsets[left], rows + whole * stride, stride, scales + whole, end - whole,
                         n, out + left * count + whole);
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
