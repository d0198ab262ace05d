// A query in the form that scans of codes take.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "vectors/code_rows.hpp"

namespace memspan {

// Scores of codes are `raw`: cosine = scale() * raw. Allocates only when the dimension changes.
class CodeQuery {
 public:
  void set(const float* unit_vector, size_t dim) {
    dim_ = dim;
    if (codes_.size() != code_stride(dim)) codes_ = AlignedBuffer<int8_t>(code_stride(dim));
    scale_ = kernels().quantize_query(unit_vector, dim, codes_.data(), &offset_);
  }

  const int8_t* codes() const { return codes_.data(); }
  int32_t offset() const { return offset_; }
  float scale() const { return scale_; }
  float to_raw(float cosine) const { return cosine / scale_; }

  // Raw scores of rows [first, first + count).
  void score(const CodeRows& rows, size_t first, size_t count, float* out) const {
    kernels().code_rows(codes_.data(), offset_, rows.codes(first), rows.stride(), rows.scales() + first, count,
                        rows.stride(), out);
  }

  // How far the difference of two cosines from codes may be from that of the exact ones, given the largest scale among
  // the rows. A component is rounded by at most half a scale; the errors of dim components add up like a random walk, of
  // which five standard deviations are taken, or all at once, which is the smaller bound in few dimensions.
  float margin(float row_scale) const {
    const float deviation = std::sqrt((row_scale * row_scale + scale_ * scale_) / 6.0f);
    const float worst = std::sqrt(static_cast<float>(dim_)) * (row_scale + scale_);
    return std::min(5.0f * deviation, 1.01f * worst);
  }

  // How far an exact cosine may be from that of the codes at most, as a line in the scale of the row.
  struct SureError {
    float of_query;
    float by_scale;
    float at(float row_scale) const { return of_query + by_scale * row_scale; }
  };
  // With codes of v and the query q standing for c and p, v q - c p = (v - c) q + c (q - p). No value of v is off by more
  // than half a scale; |c| is hardly more than 1, and q - p is known. What sums of floats are off by is added: at most an
  // epsilon for each addition, of a sum of no more than 1.
  // `unit_vector`: which was set; `row_scale`: no row has a larger one. O(dim).
  SureError sure_error(const float* unit_vector, float row_scale) const {
    const float of_sums = 1e-5f + std::numeric_limits<float>::epsilon() * static_cast<float>(dim_);
    float sum = 0.0f;
    float square = 0.0f;
    for (size_t d = 0; d < dim_; ++d) {
      const float off = unit_vector[d] - static_cast<float>(codes_.data()[d]) * scale_;
      sum += std::abs(unit_vector[d]);
      square += off * off;
    }
    const float length = 1.001f + 0.5f * std::sqrt(static_cast<float>(dim_)) * row_scale;  // of c
    return {1.001f * length * std::sqrt(square) + of_sums, 0.5005f * sum};
  }

 private:
  size_t dim_ = 0;
  AlignedBuffer<int8_t> codes_;
  int32_t offset_ = 0;
  float scale_ = 0.0f;
};

}  // namespace memspan
