// The loops that make codes out of floats, choose among scores and count bits, written once over an `Isa` that each
// per-ISA translation unit defines, beside what dot_blocks.hpp asks of it:
//
//   Ints                                     a register of kLanes int32
//   max_magnitude(max, v), largest(max)      the largest |v| of each lane; the largest lane
//   to_ints(v, factor)                       v * factor, rounded, halves to even
//   no_ints(), add(a, b), total(ints)
//   store_bytes(ints, flip, out)             kLanes bytes: the lowest of each int, xor flip
//   add_if_greater(ints, a, b)               1 more where a > b
//   store_ints(ints, out)
//   fill(value), at_least(v, threshold)      a bit for each lane; false for a NaN
//   Words, kWords, no_words(), load_words(p), add_ones(sums, words), total_ones(sums)
//                                            a register of words, and sums of the bits that are set in some
//   equal(p, wanted)                         a bit for each of the 32 uint16 at p
//   within(p, least, width)                  a bit for each of the kWords uint64 at p, from least to least + width
//   store_chosen(mask, first, out)           first + i for each bit i of the mask; may write kLanes values
//
// Everything has internal linkage: each unit gets its own copy in its own instructions (see kernels.hpp).
#pragma once

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kCodesPad = 64;
constexpr float kSmallest = 1e-35f;  // its reciprocal is still finite when multiplied by 127

template <typename Isa>
inline __attribute__((always_inline)) typename Isa::Vector load_some(const float* vector, size_t i, size_t n) {
  if (i + Isa::kLanes <= n) return Isa::load(vector + i);
  return i < n ? Isa::load_first(vector + i, n - i) : Isa::zero();
}

// Writes the codes, each xor `flip`, and their sum; returns the scale.
template <typename Isa>
inline __attribute__((always_inline)) float quantize(const float* vector, size_t n, uint8_t flip, uint8_t* codes,
                                                     int32_t* sum) {
  constexpr size_t kLanes = Isa::kLanes;
  typename Isa::Vector magnitudes = Isa::zero();
  for (size_t i = 0; i < n; i += kLanes) magnitudes = Isa::max_magnitude(magnitudes, load_some<Isa>(vector, i, n));
  const float max = Isa::largest(magnitudes);
  const typename Isa::Vector factor = Isa::fill(max < kSmallest ? 0.0f : 127.0f / max);
  typename Isa::Ints ints = Isa::no_ints();
  const size_t padded = (n + kCodesPad - 1) / kCodesPad * kCodesPad;
  for (size_t i = 0; i < padded; i += kLanes) {
    const typename Isa::Ints some = Isa::to_ints(load_some<Isa>(vector, i, n), factor);
    ints = Isa::add(ints, some);
    Isa::store_bytes(some, flip, codes + i);
  }
  *sum = Isa::total(ints);
  return max < kSmallest ? 0.0f : max / 127.0f;
}

template <typename Isa>
float quantize_query(const float* vector, size_t n, int8_t* codes, int32_t* offset) {
  int32_t sum;
  const float scale = quantize<Isa>(vector, n, 0, reinterpret_cast<uint8_t*>(codes), &sum);
  *offset = 128 * sum;
  return scale;
}

template <typename Isa>
float quantize_row(const float* vector, size_t n, uint8_t* codes) {
  int32_t sum;
  return quantize<Isa>(vector, n, 128, codes, &sum);
}

// Of the scores from `first` on, as many as fit into kRegisters.
template <typename Isa, size_t kRegisters>
inline __attribute__((always_inline)) void count_above_some(const float* scores, size_t count, size_t first, uint32_t* above) {
  constexpr size_t kLanes = Isa::kLanes;
  typename Isa::Vector own[kRegisters];
  typename Isa::Ints greater[kRegisters];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRegisters; ++r) {
    own[r] = load_some<Isa>(scores, first + r * kLanes, count);
    greater[r] = Isa::no_ints();
  }
  for (size_t j = 0; j < count; ++j) {
    const typename Isa::Vector other = Isa::fill(scores[j]);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRegisters; ++r) greater[r] = Isa::add_if_greater(greater[r], other, own[r]);
  }
  uint32_t counts[kRegisters * kLanes];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRegisters; ++r) Isa::store_ints(greater[r], counts + r * kLanes);
  for (size_t i = 0; i < kRegisters * kLanes && first + i < count; ++i) above[first + i] = counts[i];
}

template <typename Isa>
void count_above(const float* scores, size_t count, uint32_t* above) {
  constexpr size_t kLanes = Isa::kLanes;
  size_t i = 0;
  for (; i + 2 * kLanes < count; i += 4 * kLanes) count_above_some<Isa, 4>(scores, count, i, above);
  for (; i + kLanes < count; i += 2 * kLanes) count_above_some<Isa, 2>(scores, count, i, above);
  for (; i < count; i += kLanes) count_above_some<Isa, 1>(scores, count, i, above);
}

template <typename Isa>
size_t select_above(const float* scores, size_t count, float threshold, uint32_t* out) {
  constexpr size_t kLanes = Isa::kLanes;
  constexpr size_t kVectors = 4;  // looked at together, since most scores are below the threshold
  const typename Isa::Vector limit = Isa::fill(threshold);
  size_t found = 0;
  size_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    uint32_t masks[kVectors];
    uint32_t any = 0;
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) any |= masks[v] = Isa::at_least(Isa::load(scores + i + v * kLanes), limit);
    if (any == 0) continue;
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      // found <= i, so that kLanes values fit into the room for `count`.
      Isa::store_chosen(masks[v], static_cast<uint32_t>(i + v * kLanes), out + found);
      found += static_cast<size_t>(__builtin_popcount(masks[v]));
    }
  }
  for (; i < count; ++i) {
    out[found] = static_cast<uint32_t>(i);
    found += scores[i] >= threshold ? 1 : 0;
  }
  return found;
}

template <typename Isa>
size_t count_ones(const uint64_t* words, size_t count) {
  typename Isa::Words sums = Isa::no_words();
  size_t i = 0;
#pragma GCC unroll 2
  for (; i + Isa::kWords <= count; i += Isa::kWords) sums = Isa::add_ones(sums, Isa::load_words(words + i));
  if (i < count) {
    uint64_t last[Isa::kWords] = {};
    for (size_t word = 0; i + word < count; ++word) last[word] = words[i + word];
    sums = Isa::add_ones(sums, Isa::load_words(last));
  }
  return Isa::total_ones(sums);
}

template <typename Isa>
void mark_equal(const uint16_t* values, uint16_t wanted, uint64_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t high = Isa::equal(values + 64 * i + 32, wanted);
    words[i] |= high << 32 | Isa::equal(values + 64 * i, wanted);
  }
}

template <typename Isa>
void mark_within(const uint64_t* values, uint64_t least, uint64_t most, uint64_t* words, size_t count) {
  if (least > most) return;
  for (size_t i = 0; i < count; ++i) {
    uint64_t marks = 0;
#pragma GCC unroll 16
    for (size_t b = 0; b < 64; b += Isa::kWords) marks |= uint64_t{Isa::within(values + 64 * i + b, least, most - least)} << b;
    words[i] |= marks;
  }
}

}  // namespace
}  // namespace memspan
