// Vectors as one byte a dimension, with how far each is from what its codes stand for: so that a product of codes bounds
// the product of the vectors.
//
// Codes are those of simd/kernels.hpp. Thread safety: as a plain array. Memory: dim, rounded up to 64, + 12 bytes a row.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/aligned_buffer.hpp"
#include "simd/kernels.hpp"
#include "vectors/code_rows.hpp"

namespace memspan {

class BoundedCodes {
 public:
  BoundedCodes(size_t dim, size_t capacity)
      : dim_(dim), stride_(code_stride(dim)), codes_(capacity * stride_), scales_(capacity), errors_(capacity),
        offsets_(capacity) {}

  // The vector has length 1 at most.
  void put(size_t i, const float* vector) {
    uint8_t* const row = codes_.data() + i * stride_;
    const float scale = kernels().quantize_row(vector, dim_, row);
    float square = 0.0f;
    int32_t sum = 0;
    for (size_t d = 0; d < dim_; ++d) {
      const int32_t code = int32_t{row[d]} - kZeroCode;
      sum += code;
      const float off = vector[d] - static_cast<float>(code) * scale;
      square += off * off;
    }
    scales_[i] = scale;
    errors_[i] = std::sqrt(square) * 1.001f + 1e-6f;
    offsets_[i] = kZeroCode * sum;
  }

  size_t stride() const { return stride_; }
  const uint8_t* codes(size_t i) const { return codes_.data() + i * stride_; }
  const float* scales() const { return scales_.data(); }
  float scale(size_t i) const { return scales_[i]; }
  float error(size_t i) const { return errors_[i]; }  // distance of the vector and what its codes stand for

  // Row i as a query: `stride` codes, and what the kernels call its offset.
  void query(size_t i, int8_t* out) const {
    const uint8_t* const row = codes(i);
    for (size_t d = 0; d < stride_; ++d) out[d] = static_cast<int8_t>(int{row[d]} - kZeroCode);
  }
  int32_t offset(size_t i) const { return offsets_[i]; }

  // If the product of vector i and one with error `most_error` at most is `least` or more, then what a kernel computes of
  // their codes, with row i as the query, is this or more.
  float least_score(size_t i, float least, float most_error) const {
    constexpr float kRounding = 1e-4f;
    if (scales_[i] == 0.0f) return least <= errors_[i] + most_error ? 0.0f : 1.0f;  // every score is 0
    return (least - errors_[i] - (1.0f + errors_[i]) * most_error - kRounding) / scales_[i];
  }

 private:
  size_t dim_;
  size_t stride_;
  AlignedBuffer<uint8_t> codes_;
  AlignedBuffer<float> scales_;
  AlignedBuffer<float> errors_;
  AlignedBuffer<int32_t> offsets_;
};

}  // namespace memspan
