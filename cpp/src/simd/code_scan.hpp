// The loops behind code_rows and code_gather, written once over a `Codes` that each per-ISA translation unit defines:
//
//   Sum, Row, Query      registers: partial sums of products (int32), kStep codes of a row, kStep codes of a query
//   kStep                codes that one step multiplies; divides 64
//   kGroup               rows whose sums are completed together
//   Resident             Steps<...>: the lengths, in steps, of queries that stay in registers during a scan
//   zero(), row(p), query(p), step(sum, row, query)
//   keep(query)          stops the compiler from reading a query again from memory
//   complete(sums, offsets, scales, out)   out[i] = scales[i] * float(total of sums[i] - offsets[i]) for i < kGroup
//
// Rows are read one after the other. In the order of their addresses, and without prefetching by hand, that comes to
// nine tenths or more of the bandwidth of a plain read from every level of memory. Four rows at a time read as fast
// from the second level, but a tenth slower from the third and 40 % slower from memory, with or without prefetching.
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

template <size_t... kSteps>
struct Steps {};

constexpr size_t kLine = 64;

// Rows one after the other, whose scales are too.
struct RowsInOrder {
  static constexpr bool kInOrder = true;

  const uint8_t* rows;
  size_t stride;
  const float* scales;

  RowsInOrder of_length(size_t) const { return *this; }
  const uint8_t* row(size_t i) const { return rows + i * stride; }
  float scale(size_t i) const { return scales[i]; }
};

// Rows anywhere, fetched some time before they are needed, into the second level, which can wait for more lines at once
// than the first: out of memory they come up to twice as fast. What is in a cache already comes up to a fifth faster when
// fetched into the first, but no caller can know: the rows of a small user lie close together, and yet in no cache when
// the searches before were other users'.
struct RowsAtPositions {
  static constexpr bool kInOrder = false;
  static constexpr size_t kBytesAhead = 12288;  // twice as much is no better

  const uint8_t* rows;
  size_t stride;
  const float* scales;
  const uint32_t* positions;
  size_t count;
  size_t n;
  size_t ahead;  // rows, at least one

  // The same rows, for a caller whose n is a constant: then the loops over it are unrolled.
  inline __attribute__((always_inline)) RowsAtPositions of_length(size_t constant) const {
    RowsAtPositions same = *this;
    same.n = constant;
    return same;
  }
  // Inlined, because GCC drops calls of a function that does nothing but fetch.
  inline __attribute__((always_inline)) void fetch(size_t i) const {
    if (i >= count) return;
    const uint8_t* const row = rows + positions[i] * stride;
    for (size_t at = 0; at < n; at += kLine) __builtin_prefetch(row + at, 0, 2);
    __builtin_prefetch(scales + positions[i]);
  }
  inline __attribute__((always_inline)) const uint8_t* row(size_t i) const {
    fetch(i + ahead);
    return rows + positions[i] * stride;
  }
  float scale(size_t i) const { return scales[positions[i]]; }
};

// out[i] = score of row i for i < count, from the partial sums that `sum_of(row)` gives.
template <typename Codes, typename Rows, typename SumOf>
inline __attribute__((always_inline)) void score(const Rows& rows, SumOf sum_of, int32_t offset, size_t count,
                                                 float* out) {
  constexpr size_t kGroup = Codes::kGroup;
  typename Codes::Sum sums[kGroup];
  float scales[kGroup];
  int32_t offsets[kGroup];
  for (int32_t& value : offsets) value = offset;
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
#pragma GCC unroll 1
    for (size_t r = 0; r < kGroup; ++r) {
      if (!Rows::kInOrder) scales[r] = rows.scale(i + r);
      sums[r] = sum_of(rows.row(i + r));
    }
    Codes::complete(sums, offsets, Rows::kInOrder ? rows.scales + i : scales, out + i);
  }
  if (i == count) return;
#pragma GCC unroll 1
  for (size_t r = 0; r < kGroup; ++r) {
    scales[r] = i + r < count ? rows.scale(i + r) : 0.0f;
    sums[r] = i + r < count ? sum_of(rows.row(i + r)) : Codes::zero();
  }
  float last[kGroup];
  Codes::complete(sums, offsets, scales, last);
  for (size_t r = 0; i + r < count; ++r) out[i + r] = last[r];
}

// For n == kSteps * kStep, with the query in registers.
template <typename Codes, size_t kSteps, typename Rows>
void score_resident(const int8_t* query, int32_t offset, const Rows& rows, size_t count, float* out) {
  typename Codes::Query steps[kSteps];
#pragma GCC unroll 16
  for (size_t k = 0; k < kSteps; ++k) {
    steps[k] = Codes::query(query + k * Codes::kStep);
    Codes::keep(steps[k]);
  }
  const auto sum_of = [&](const uint8_t* row) __attribute__((always_inline)) {
    typename Codes::Sum sum = Codes::zero();
#pragma GCC unroll 16
    for (size_t k = 0; k < kSteps; ++k) sum = Codes::step(sum, Codes::row(row + k * Codes::kStep), steps[k]);
    return sum;
  };
  score<Codes>(rows.of_length(kSteps * Codes::kStep), sum_of, offset, count, out);
}

// For any n.
template <typename Codes, typename Rows>
void score_any(const int8_t* query, int32_t offset, const Rows& rows, size_t count, size_t n, float* out) {
  constexpr size_t kStep = Codes::kStep;
  constexpr size_t kSteps = 2 * kLine / kStep;
  const auto sum_of = [&](const uint8_t* row) __attribute__((always_inline)) {
    typename Codes::Sum sum = Codes::zero();
    size_t i = 0;
    for (; i + kSteps * kStep <= n; i += kSteps * kStep) {
#pragma GCC unroll 8
      for (size_t k = i; k < i + kSteps * kStep; k += kStep) {
        sum = Codes::step(sum, Codes::row(row + k), Codes::query(query + k));
      }
    }
#pragma GCC unroll 1
    for (; i < n; i += kStep) sum = Codes::step(sum, Codes::row(row + i), Codes::query(query + i));
    return sum;
  };
  score<Codes>(rows, sum_of, offset, count, out);
}

template <typename Codes, typename Rows, size_t... kSteps>
void score_rows(Steps<kSteps...>, const int8_t* query, int32_t offset, const Rows& rows, size_t count, size_t n,
                float* out) {
  const bool done =
      ((n == kSteps * Codes::kStep && (score_resident<Codes, kSteps>(query, offset, rows, count, out), true)) || ...);
  if (!done) score_any<Codes>(query, offset, rows, count, n, out);
}

template <typename Codes>
void code_rows(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
               size_t count, size_t n, float* out) {
  score_rows<Codes>(typename Codes::Resident(), query, offset, RowsInOrder{rows, stride, scales}, count, n, out);
}

template <typename Codes>
void code_gather(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                 const uint32_t* positions, size_t count, size_t n, float* out) {
  if (count == 0) return;
  const size_t ahead = RowsAtPositions::kBytesAhead / n + 1;
  const RowsAtPositions gathered{rows, stride, scales, positions, count, n, ahead};
  for (size_t i = 0; i < ahead; ++i) gathered.fetch(i);
  score_rows<Codes>(typename Codes::Resident(), query, offset, gathered, count, n, out);
}

}  // namespace
}  // namespace memspan
