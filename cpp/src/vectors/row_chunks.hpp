// Where a row lies in a sequence of chunks that grow with the rows, so that few lie idle and a large user grows without
// moving what is there.
//
// A chunk is the largest power of two that is at most a sixteenth of the rows before it, between two bounds: 24 kB or less,
// as smaller ones cost more than idle rows, and 100 kB or less, which is soon moved, and of which regions of one huge page hold
// many (base/huge_pages.hpp). The first few rows come in smaller ones, of half of what is there at most; from some 24 MB on
// chunks take one huge page or more, and less than two. So at most 24 kB lie idle, or a sixteenth, or an eighth where large
// ones begin.
// Thread safety: immutable.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace memspan {

class RowChunks {
 public:
  static constexpr size_t kSoonMoved = size_t{100} << 10;  // bytes

  explicit RowChunks(size_t row_bytes)
      : least_(rows_within(size_t{24} << 10, row_bytes)),
        middle_(rows_within(kSoonMoved, row_bytes)),
        large_(rows_within((size_t{4} << 20) - 1, row_bytes)) {
    last_few_ = static_cast<uint8_t>(std::max(2 * least_, 1) - 1);
    large_chunk_ = static_cast<uint32_t>(skipped(false, middle_) + (large_from() >> middle_));
  }

  struct Place {
    size_t chunk;
    size_t offset;
  };

  Place place(size_t row) const {
    if (row >= large_from()) {
      const size_t behind = row - large_from();
      return {large_chunk_ + (behind >> large_), behind & mask(large_)};
    }
    const bool few = row >> least_ == 0;
    const unsigned shift = few ? few_shift(row) : even_shift(row);
    return {skipped(few, shift) + (row >> shift), row & mask(shift)};
  }
  size_t size(size_t chunk) const { return size_t{1} << shift_of(chunk); }
  // Of the first `count` chunks together.
  size_t capacity(size_t count) const {
    if (count >= large_chunk_) return large_from() + ((count - large_chunk_) << large_);
    const unsigned shift = shift_of(count);
    return (count - skipped(count <= last_few_, shift)) << shift;
  }
  // Does it take a huge page or more?
  bool is_large(size_t chunk) const { return chunk >= large_chunk_; }
  size_t large_rows() const { return size_t{1} << large_; }

 private:
  // The base-2 logarithm of the largest power of two of rows that take at most so many bytes, 0 if one takes more.
  static uint8_t rows_within(size_t bytes, size_t row_bytes) {
    return static_cast<uint8_t>(std::bit_width(std::max<size_t>(bytes / std::max<size_t>(row_bytes, 1), 1)) - 1);
  }
  static size_t mask(unsigned shift) { return (size_t{1} << shift) - 1; }
  // Large chunks begin where they are an eighth of the rows before.
  size_t large_from() const { return size_t{8} << large_; }

  // Two chunks of each size but the first, which comes four times.
  static unsigned few_shift(size_t row) { return std::max(static_cast<unsigned>(std::bit_width(row)), 2u) - 2; }
  // Sixteen chunks of each size, more of the least and of the greatest.
  unsigned even_shift(size_t row) const {
    const auto width = static_cast<unsigned>(std::bit_width(row));
    return std::clamp<unsigned>(width - std::min(width, 5u), least_, middle_);
  }
  // By how much the number of a chunk of 1 << shift rows exceeds what it would be if all were of that size.
  size_t skipped(bool few, unsigned shift) const { return few ? 2 * shift : 16 * (shift - least_) + last_few_; }
  unsigned shift_of(size_t chunk) const {
    if (chunk >= large_chunk_) return large_;
    if (chunk <= last_few_) return static_cast<unsigned>(std::max<size_t>(chunk / 2, 1) - 1);
    const auto even = static_cast<unsigned>(chunk - last_few_);
    return std::min<unsigned>(least_ + std::max(even / 16, 1u) - 1, middle_);
  }

  uint8_t least_;  // base-2 logarithms of the rows of a chunk
  uint8_t middle_;
  uint8_t large_;
  uint8_t last_few_;      // the last chunk of the first few rows
  uint32_t large_chunk_;  // the first large one
};

}  // namespace memspan
