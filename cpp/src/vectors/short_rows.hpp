// The rows of a layout as 128 numbers each, of one byte, so that a search can rule most of them out before it reads their
// codes: for where blocks cannot be told apart, and nearly all of them would have to be read.
//
// The numbers are those of short_vector.hpp. The product of what they leave out, which a search cannot know, is by far less
// than the product of its lengths most times: a search reckons with a share of it, `reach`, that found the wanted share of
// the true best on queries that the consolidation tried out, as it does for blocks. Sixteen rows lie side by side (kernel
// code_block_sums).
//
// The codes may be those of a snapshot, where they lie in it: then they are checked when they are first read, and damaged
// ones throw CorruptSnapshot. Thread safety: const members may run in parallel; writes need exclusion, but for `put` of
// different rows. Memory: 128 bytes a row, and 4 a direction and dimension.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "simd/kernels.hpp"
#include "vectors/probe_reach.hpp"
#include "vectors/short_vector.hpp"
#include "vectors/stored_rows.hpp"

namespace memspan {

class ShortRows {
 public:
  static constexpr size_t kNumbers = 128;
  static constexpr size_t kCoordinates = kNumbers - kRestNumbers;
  static constexpr size_t kSideBySide = 16;
  static constexpr size_t kGroupBytes = kSideBySide * kNumbers;
  static constexpr uint8_t kZero = 64;  // the code that stands for 0
  using Numbers = std::array<float, kNumbers>;
  using Codes = std::array<uint8_t, kNumbers>;

  // `most`: a magnitude that few numbers exceed; those are cut off. Rows are to be put.
  ShortRows(LeadingDirections directions, float most, size_t rows)
      : directions_(std::move(directions)), most_(most), own_(groups(rows) * kGroupBytes), codes_(own_.data()) {
    std::fill_n(codes_, own_.size(), kZero);
  }
  ShortRows(LeadingDirections directions, float most, std::unique_ptr<StoredRows> stored)
      : directions_(std::move(directions)), most_(most), stored_(std::move(stored)),
        codes_(reinterpret_cast<uint8_t*>(stored_->data())) {}

  static constexpr size_t groups(size_t rows) { return (rows + kSideBySide - 1) / kSideBySide; }

  void put(size_t i, const float* unit_vector) {
    const Numbers numbers = shortened(unit_vector);
    for (size_t d = 0; d < kNumbers; ++d) {
      const float code = std::clamp(std::nearbyint(numbers[d] / step()), -kLargest, kLargest);
      codes_[place(i, d)] = static_cast<uint8_t>(static_cast<int>(code) + kZero);
    }
  }
  void erase(size_t i) noexcept {
    if (stored_) stored_->prepare_write(i / kSideBySide);
    for (size_t d = 0; d < kNumbers; ++d) codes_[place(i, d)] = kZero;
  }
  // The codes of a row, one after the other; of one that can be checked and was not, throws as all that reads.
  Codes codes(size_t i) const {
    check(i, 1);
    Codes codes;
    for (size_t d = 0; d < kNumbers; ++d) codes[d] = codes_[place(i, d)];
    return codes;
  }
  // Writes such codes to where row i lies in a group.
  static void write(const Codes& codes, size_t i, uint8_t* group) {
    for (size_t d = 0; d < kNumbers; ++d) group[place(i % kSideBySide, d)] = codes[d];
  }

  Numbers shortened(const float* unit_vector, float rest_share = 1.0f) const {
    Numbers numbers;
    shorten(directions_, unit_vector, rest_share, numbers);
    return numbers;
  }
  // A query in the form that scans take.
  struct Query {
    alignas(64) std::array<int8_t, kNumbers> codes;
    int32_t offset = 0;  // of every score, since codes of rows are not signed
    float step = 0.0f;   // what 1 stands for in a score
  };
  // `rest_share`: of the product of what the numbers leave out.
  Query query(const float* unit_vector, float rest_share) const {
    const Numbers numbers = shortened(unit_vector, rest_share);
    float most = kLeast;
    for (const float number : numbers) most = std::max(most, std::abs(number));
    Query query;
    for (size_t d = 0; d < kNumbers; ++d) {
      query.codes[d] = static_cast<int8_t>(std::nearbyint(numbers[d] * (kLargest / most)));
      query.offset += kZero * query.codes[d];
    }
    query.step = most / kLargest * step();
    return query;
  }
  // Of a row: the product of its coordinates with those of the query, and what would be added for a `rest_share` of 1.
  // For few rows.
  struct Product {
    float coordinates;
    float rest;
  };
  Product product(const Numbers& query, size_t i) const {
    Product product = {};
    for (size_t d = 0; d < kNumbers; ++d) {
      const float value = query[d] * step() * static_cast<float>(int{codes_[place(i, d)]} - kZero);
      (d < kCoordinates ? product.coordinates : product.rest) += value;
    }
    return product;
  }
  // Writes the scores of the rows of all groups that rows [first, last) lie in to out[i] for row i. `out` has room for whole
  // groups.
  void score(const Query& query, size_t first, size_t last, float* out) const {
    if (first == last) return;
    check(first, last - first);
    const size_t group = first / kSideBySide;
    kernels().code_block_sums(query.codes.data(), codes_ + group * kGroupBytes, groups(last) - group, kNumbers, out + group * kSideBySide);
  }
  // The score of a row whose cosine may be that large.
  static float least_score(const Query& query, float cosine) {
    return cosine / query.step + static_cast<float>(query.offset);
  }

  // Throws CorruptSnapshot if the codes cannot be used. O(1) except once. `count` > 0.
  void check(size_t first, size_t count) const {
    if (stored_) stored_->check(first / kSideBySide, (first + count - 1) / kSideBySide + 1 - first / kSideBySide);
  }

  const LeadingDirections& directions() const { return directions_; }
  float most() const { return most_; }
  // The rest_share for so many results at a recall; finite only up to the last of ProbeReach::kRecalls.
  ProbeReach reach;

  size_t bytes() const {
    return sizeof(*this) + directions_.rows.capacity() * sizeof(float) + own_.bytes() + (stored_ ? stored_->heap_bytes() : 0);
  }
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  static constexpr float kLargest = 63.0f;  // magnitude of a code
  static constexpr float kLeast = 1e-6f;

  static constexpr size_t place(size_t i, size_t d) {
    return i / kSideBySide * kGroupBytes + d / 4 * (4 * kSideBySide) + i % kSideBySide * 4 + d % 4;
  }
  float step() const { return most_ / kLargest; }

  LeadingDirections directions_;
  float most_;
  AlignedBuffer<uint8_t> own_;          // empty if they are stored
  std::unique_ptr<StoredRows> stored_;  // null: they are not
  uint8_t* codes_;
};

}  // namespace memspan
