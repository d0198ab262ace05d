// Rows in the form that scans read: one byte a dimension, one after the other, with what a scan needs to know of each.
//
// A code is 128 + round(v * 127 / max|v|); the scale brings a product back to a cosine. Rows are padded to a multiple of
// 64 bytes, so that each begins at a cache line. A dead row has no slot and scale 0.
// Memory: dim + 16 bytes a row.
#pragma once

#include <algorithm>

#include "base/aligned_buffer.hpp"
#include "memspan/types.hpp"
#include "simd/kernels.hpp"

namespace memspan {

inline constexpr size_t kCodeAlignment = 64;
inline constexpr uint8_t kZeroCode = 128;

inline constexpr size_t code_stride(size_t dim) { return (dim + kCodeAlignment - 1) / kCodeAlignment * kCodeAlignment; }

class CodeRows {
 public:
  CodeRows() = default;
  CodeRows(size_t dim, size_t capacity)
      : dim_(dim), stride_(code_stride(dim)), codes_(capacity * stride_), scales_(capacity), slots_(capacity), ats_(capacity) {}

  // Returns the scale.
  float put(size_t i, Slot slot, Micros at, const float* unit_vector) {
    scales_[i] = kernels().quantize_row(unit_vector, dim_, codes_.data() + i * stride_);
    slots_[i] = slot;
    ats_[i] = at;
    return scales_[i];
  }
  // For codes that are known: where to write them.
  uint8_t* set(size_t i, float scale) {
    scales_[i] = scale;
    return codes_.data() + i * stride_;
  }
  void erase(size_t i) {
    std::fill_n(codes_.data() + i * stride_, stride_, kZeroCode);
    scales_[i] = 0.0f;
    slots_[i] = kNoSlot;
  }

  size_t stride() const { return stride_; }
  const uint8_t* codes(size_t i) const { return codes_.data() + i * stride_; }
  const uint8_t* codes() const { return codes_.data(); }
  const float* scales() const { return scales_.data(); }
  Slot slot(size_t i) const { return slots_[i]; }
  void set_slot(size_t i, Slot slot) { slots_[i] = slot; }
  const Micros* ats() const { return ats_.data(); }
  size_t bytes() const { return codes_.bytes() + scales_.bytes() + slots_.bytes() + ats_.bytes(); }

 private:
  size_t dim_ = 0;
  size_t stride_ = 0;
  AlignedBuffer<uint8_t> codes_;
  AlignedBuffer<float> scales_;
  AlignedBuffer<Slot> slots_;
  AlignedBuffer<Micros> ats_;
};

}  // namespace memspan
