// The rows of a layout as 128 numbers each, of four bits, so that a search can rule most of them out before it reads their
// codes: for where blocks cannot be told apart, and nearly all of them would have to be read.
//
// The numbers are the coordinates along the leading directions of the rows, and how much these leave open: the length of what
// is beside them, and what codes so coarse may be off. A cosine is the product of the coordinates and what no search can know,
// which is no larger than that length, and far less most times: a search reckons with a share of it, `reach`, that found the
// wanted share of the true best on queries that the consolidation tried out, as it does for blocks. Rows that the codes do not stand for (short_scale.hpp) are kept apart, and never ruled out. Sixteen rows
// lie side by side (kernel nibble_block_sums).
//
// The codes may be those of a snapshot, where they lie in it: then they are checked when they are first read, and damaged
// ones throw CorruptSnapshot. Thread safety: const members may run in parallel; writes need exclusion, but for `put` of
// different rows. Memory: 64 bytes a row, and 4 a direction and dimension.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "simd/kernels.hpp"
#include "vectors/leading_directions.hpp"
#include "vectors/probe_reach.hpp"
#include "vectors/short_scale.hpp"
#include "vectors/stored_rows.hpp"

namespace memspan {

class ShortRows {
 public:
  static constexpr size_t kNumbers = ShortScale::kNumbers;
  static constexpr size_t kCoordinates = kNumbers - 1;
  static constexpr size_t kSideBySide = 16;
  static constexpr size_t kGroupBytes = kSideBySide * kNumbers / 2;
  using Numbers = ShortScale::Numbers;
  using Codes = ShortScale::Codes;

  // Rows are to be put.
  ShortRows(LeadingDirections directions, const ShortScale& scale, size_t rows)
      : directions_(std::move(directions)), scale_(scale), own_(groups(rows) * kGroupBytes), codes_(own_.data()) {
    std::fill_n(codes_, own_.size(), uint8_t{0});
  }
  ShortRows(LeadingDirections directions, const ShortScale& scale, std::unique_ptr<StoredRows> stored)
      : directions_(std::move(directions)), scale_(scale), stored_(std::move(stored)),
        codes_(reinterpret_cast<uint8_t*>(stored_->data())) {}

  static constexpr size_t groups(size_t rows) { return (rows + kSideBySide - 1) / kSideBySide; }

  // False: the row has to be kept apart.
  bool put(size_t i, const float* unit_vector) {
    Codes codes;
    const bool fits = scale_.encode(numbers_of_row(directions_, unit_vector), codes);
    write(codes, i, codes_ + i / kSideBySide * kGroupBytes);
    return fits;
  }
  // Ascending.
  void keep_apart(std::vector<uint32_t> rows) { apart_ = std::move(rows); }
  const std::vector<uint32_t>& apart() const { return apart_; }
  void erase(size_t i) noexcept {
    if (stored_) stored_->prepare_write(i / kSideBySide);
    write(Codes{}, i, codes_ + i / kSideBySide * kGroupBytes);
  }
  // The codes of a row, one after the other; of one that can be checked and was not, throws as all that reads.
  Codes codes(size_t i) const {
    check(i, 1);
    Codes codes;
    for (size_t d = 0; d < kNumbers; ++d) codes[d] = code(i, d);
    return codes;
  }
  // Writes such codes to where row i lies in a group.
  static void write(const Codes& codes, size_t i, uint8_t* group) {
    for (size_t d = 0; d < kNumbers; ++d) {
      uint8_t& two = group[place(i % kSideBySide, d)];
      two = static_cast<uint8_t>(is_high(d) ? (two & 0x0f) | codes[d] << 4 : (two & 0xf0) | codes[d]);
    }
  }

  static Numbers numbers_of_row(const LeadingDirections& directions, const float* unit_vector) {
    // Of the coordinates' square; measured on real turns and noisy copies.
    constexpr float kOff = 0.05f;
    Numbers numbers = {};
    directions.project(unit_vector, numbers.data());
    const auto whole = static_cast<float>(kernels().square_sum(unit_vector, directions.dim));  // of bfloat16 not just 1
    float square = 0.0f;
    for (const float number : numbers) square += number * number;
    numbers[kCoordinates] = std::sqrt(std::max(0.0f, whole - square) + kOff * square);
    return numbers;
  }
  // Of a query that reckons with such a share of what is open.
  Numbers numbers_of_query(const float* unit_vector, float share) const {
    Numbers numbers = {};
    directions_.project(unit_vector, numbers.data());
    numbers[kCoordinates] = share;
    return numbers;
  }
  // Of a query's square, what lies along the directions.
  static float covered(const Numbers& numbers) {
    float square = 0.0f;
    for (size_t d = 0; d < kCoordinates; ++d) square += numbers[d] * numbers[d];
    return square;
  }
  // A query in the form that scans take.
  struct Query {
    alignas(64) std::array<int8_t, kNumbers> codes;
    float base = 0.0f;  // of every product, since codes of rows are not signed
    float step = 0.0f;  // what 1 stands for in a score
    float covered = 0.0f;
  };
  Query query(const float* unit_vector, float share) const {
    constexpr float kLeast = 1e-9f;
    constexpr float kLargest = 127.0f;
    const Numbers numbers = numbers_of_query(unit_vector, share);
    Numbers weights;  // of the codes
    float most = kLeast;
    for (size_t d = 0; d < kNumbers; ++d) {
      weights[d] = numbers[d] * scale_.step[d];
      most = std::max(most, std::abs(weights[d]));
    }
    Query query;
    query.covered = covered(numbers);
    query.step = most / kLargest;
    for (size_t d = 0; d < kNumbers; ++d) {
      const float code = std::nearbyint(weights[d] / query.step);
      query.codes[d] = static_cast<int8_t>(code);
      // What rounding the weight takes from a code in the middle is given back.
      query.base += numbers[d] * scale_.low[d] + ShortScale::kMiddle * (weights[d] - query.step * code);
    }
    return query;
  }
  // The product of a row's coordinates with those of a query, and what is open with a share of 1. For few rows.
  struct Product {
    float coordinates;
    float open;
  };
  Product product(const Numbers& query, size_t i) const {
    if (std::binary_search(apart_.begin(), apart_.end(), static_cast<uint32_t>(i))) return {kMoreThanCosines, 0.0f};
    Product product = {};
    for (size_t d = 0; d < kNumbers; ++d) {
      (d < kCoordinates ? product.coordinates : product.open) += query[d] * scale_.number(d, code(i, d));
    }
    return product;
  }
  // Writes the scores of the rows of all groups that rows [first, last) lie in to out[i] for row i: those of other rows of
  // these groups again, if they are there. `out` has room for whole groups.
  void score(const Query& query, size_t first, size_t last, float* out) const {
    if (first == last) return;
    check(first, last - first);
    const size_t group = first / kSideBySide;
    kernels().nibble_block_sums(query.codes.data(), codes_ + group * kGroupBytes, groups(last) - group, kNumbers, out + group * kSideBySide);
    auto row = std::lower_bound(apart_.begin(), apart_.end(), static_cast<uint32_t>(group * kSideBySide));
    for (; row != apart_.end() && *row < groups(last) * kSideBySide; ++row) out[*row] = std::numeric_limits<float>::max();
  }
  // The score of a row whose cosine may be that large.
  static float least_score(const Query& query, float cosine) { return (cosine - query.base) / query.step; }

  // Throws CorruptSnapshot if the codes cannot be used. O(1) except once. `count` > 0.
  void check(size_t first, size_t count) const {
    if (stored_) stored_->check(first / kSideBySide, (first + count - 1) / kSideBySide + 1 - first / kSideBySide);
  }

  const LeadingDirections& directions() const { return directions_; }
  const ShortScale& scale() const { return scale_; }
  // The share for so many results at a recall; finite only up to the last of ProbeReach::kRecalls.
  ProbeReach reach;
  // The least of any query that found it. What is open of one that is covered less may have more to say than the reach reckons with.
  float least_covered = 0.0f;

  size_t bytes() const {
    return sizeof(*this) + directions_.rows.capacity() * sizeof(float) + apart_.capacity() * sizeof(uint32_t) + own_.bytes() +
           (stored_ ? stored_->heap_bytes() : 0);
  }
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  static constexpr float kMoreThanCosines = 4.0f;

  // Where number d of row i lies, and in which half of the byte.
  static constexpr size_t place(size_t i, size_t d) {
    return i / kSideBySide * kGroupBytes + d / 8 * (4 * kSideBySide) + i % kSideBySide * 4 + d % 4;
  }
  static constexpr bool is_high(size_t d) { return d % 8 >= 4; }
  uint8_t code(size_t i, size_t d) const { return static_cast<uint8_t>(is_high(d) ? codes_[place(i, d)] >> 4 : codes_[place(i, d)] & 0x0f); }

  LeadingDirections directions_;
  ShortScale scale_;
  std::vector<uint32_t> apart_;
  AlignedBuffer<uint8_t> own_;          // empty if they are stored
  std::unique_ptr<StoredRows> stored_;  // null: they are not
  uint8_t* codes_;
};

}  // namespace memspan
