// The loops behind the vector kernels, written once over an `Isa` that each per-ISA translation unit defines:
//
//   Vector                                    a register of kLanes floats
//   kSums                                     independent sums per row, which hide the latency of the multiply-add
//   zero(), load(p), load_first(p, count), multiply_add(a, b, sum), reduce(sums)
//                                             `p`: floats, or values in bfloat16, which become the floats that they stand for
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kBlockRows = 4;
constexpr size_t kLineBytes = 64;

// Rows that lie one after the other are fetched this far ahead, in the order of their addresses: reading four at once
// looks random to the hardware's prefetching, and costs half of the memory's bandwidth without help. Of the distances
// measured (4-24 KiB), this one is nearest to the bandwidth of a plain read, both from memory and from the caches.
constexpr size_t kFetchBytes = 8192;

// out[r] = dot(query_of(r), rows[r]) for r < kRows. A row goes through the same additions in the same order whatever kRows
// is: that is the invariant of kernels.hpp. `fetch(r, i)` is called while value i of row r is worked on, at least once a cache line.
template <typename Isa, size_t kRows, typename Value, typename QueryOf, typename Fetch>
inline __attribute__((always_inline)) void dot_block(QueryOf query_of, const Value* const* rows, Fetch fetch, size_t n,
                                                     float* out) {
  constexpr size_t kLineValues = kLineBytes / sizeof(Value);
  constexpr size_t kLanes = Isa::kLanes;
  constexpr size_t kSums = Isa::kSums;
  typename Isa::Vector sums[kRows][kSums];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (size_t s = 0; s < kSums; ++s) sums[r][s] = Isa::zero();
  }
  size_t i = 0;
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
#pragma GCC unroll 8
    for (size_t s = 0; s < kSums; ++s) {
      const size_t at = i + s * kLanes;
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        if ((s * kLanes) % kLineValues == 0) fetch(r, at);
        sums[r][s] = Isa::multiply_add(Isa::load(query_of(r) + at), Isa::load(rows[r] + at), sums[r][s]);
      }
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      fetch(r, i);
      sums[r][0] = Isa::multiply_add(Isa::load(query_of(r) + i), Isa::load(rows[r] + i), sums[r][0]);
    }
  }
  if (i < n) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      fetch(r, i);
      sums[r][1] = Isa::multiply_add(Isa::load_first(query_of(r) + i, n - i), Isa::load_first(rows[r] + i, n - i), sums[r][1]);
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) out[r] = Isa::reduce(sums[r]);
}

constexpr auto kNoFetch = [](size_t, size_t) {};

template <typename Isa, typename Value>
inline __attribute__((always_inline)) void dot_one(const float* query, const Value* row, size_t n, float* out) {
  dot_block<Isa, 1>([=](size_t) { return query; }, &row, kNoFetch, n, out);
}

template <typename Isa>
float dot(const float* a, const float* b, size_t n) {
  float out;
  dot_one<Isa>(a, b, n, &out);
  return out;
}

template <typename Isa, typename Value>
void dot_rows(const float* query, const Value* rows, size_t row_stride, size_t count, size_t n, float* out) {
  size_t i = 0;
  for (; i + kBlockRows <= count; i += kBlockRows) {
    const Value* const first = rows + i * row_stride;
    const Value* const block[kBlockRows] = {first, first + row_stride, first + 2 * row_stride, first + 3 * row_stride};
    // An integer, because it may lie past the last row, where a pointer may not; fetching there is harmless.
    const uintptr_t ahead = reinterpret_cast<uintptr_t>(first) + kFetchBytes;
    const auto fetch = [=](size_t r, size_t at) {
      __builtin_prefetch(reinterpret_cast<const void*>(ahead + at * kBlockRows * sizeof(Value) + r * kLineBytes));
    };
    dot_block<Isa, kBlockRows>([=](size_t) { return query; }, block, fetch, n, out + i);
  }
  for (; i < count; ++i) dot_one<Isa>(query, rows + i * row_stride, n, out + i);
}

template <typename Isa, typename Value>
void dot_each(const float* query, const Value* const* rows, size_t count, size_t n, float* out) {
  size_t i = 0;
  for (; i + kBlockRows <= count; i += kBlockRows) {
    dot_block<Isa, kBlockRows>([=](size_t) { return query; }, rows + i, kNoFetch, n, out + i);
  }
  for (; i < count; ++i) dot_one<Isa>(query, rows[i], n, out + i);
}

template <typename Isa>
void dot_pairs(const float* const* a, const float* const* b, size_t count, size_t n, float* out) {
  size_t i = 0;
  for (; i + kBlockRows <= count; i += kBlockRows) {
    const float* const queries[kBlockRows] = {a[i], a[i + 1], a[i + 2], a[i + 3]};
    dot_block<Isa, kBlockRows>([&](size_t r) { return queries[r]; }, b + i, kNoFetch, n, out + i);
  }
  for (; i < count; ++i) dot_one<Isa>(a[i], b[i], n, out + i);
}

}  // namespace
}  // namespace memspan
