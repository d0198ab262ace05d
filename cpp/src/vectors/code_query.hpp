// A query in the form that scans of codes take.
#pragma once

#include <algorithm>
#include <cmath>
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

 private:
  size_t dim_ = 0;
  AlignedBuffer<int8_t> codes_;
  int32_t offset_ = 0;
  float scale_ = 0.0f;
};

}  // namespace memspan
