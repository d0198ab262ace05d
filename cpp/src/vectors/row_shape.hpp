// What a row of a user's vectors looks like in memory: as many values as the vectors have, all float32 or all bfloat16.
//
// Exact scores are the same bits whether a row is read as it is or as the floats that it stands for (simd/kernels.hpp).
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memspan/row_format.hpp"
#include "simd/kernels.hpp"

namespace memspan {

class RowShape {
 public:
  RowShape(size_t dim, RowFormat format = RowFormat::float32) : dim_(static_cast<uint32_t>(dim)), format_(format) {}

  size_t dim() const { return dim_; }
  RowFormat format() const { return format_; }
  // Of a row: a multiple of 4, so that rows of bfloat16 may end with a value that is 0 and of no vector.
  size_t bytes() const { return format_ == RowFormat::float32 ? dim() * sizeof(float) : (dim() + 1) / 2 * 2 * sizeof(uint16_t); }

  // Writes dim values, rounded if need be (bfloat16.hpp).
  void write(const float* values, std::byte* row) const;
  // The floats that the row stands for: the row itself, or a copy in `buffer`, which has room for dim.
  const float* floats(const std::byte* row, float* buffer) const {
    return format_ == RowFormat::float32 ? reinterpret_cast<const float*>(row) : widen(row, buffer);
  }

  // Inner product with a row.
  float dot(const float* query, const std::byte* row) const {
    if (format_ == RowFormat::float32) return kernels().dot(query, reinterpret_cast<const float*>(row), dim_);
    float product;
    dot_each(query, &row, 1, &product);
    return product;
  }
  // Inner products with rows that follow each other; with rows that lie anywhere.
  void dot_rows(const float* query, const std::byte* rows, size_t count, float* out) const {
    if (format_ == RowFormat::float32) {
      kernels().dot_rows(query, reinterpret_cast<const float*>(rows), dim_, count, dim_, out);
    } else {
      kernels().dot_rows_bfloat16(query, reinterpret_cast<const uint16_t*>(rows), bytes() / sizeof(uint16_t), count, dim_, out);
    }
  }
  void dot_each(const float* query, const std::byte* const* rows, size_t count, float* out) const {
    if (format_ == RowFormat::float32) {
      kernels().dot_each(query, reinterpret_cast<const float* const*>(rows), count, dim_, out);
    } else {
      kernels().dot_each_bfloat16(query, reinterpret_cast<const uint16_t* const*>(rows), count, dim_, out);
    }
  }

  // A unit vector, but for rounding, or the zeros of a row that was erased.
  bool is_sound(const std::byte* row) const;

 private:
  const float* widen(const std::byte* row, float* buffer) const;

  uint32_t dim_;
  RowFormat format_;
};

}  // namespace memspan
