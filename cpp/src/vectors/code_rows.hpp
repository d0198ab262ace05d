// Rows in the form that scans read: one byte a dimension, one after the other, with what a scan needs to know of each.
//
// A code is 128 + round(v * 127 / max|v|); the scale brings a product back to a cosine. Rows are padded to a multiple of
// 64 bytes, so that each begins at a cache line. A dead row has no slot and scale 0. The codes may be those of a
// snapshot, where they lie in it (stored_rows.hpp): then they must be checked before they are read.
// Memory: dim + 16 bytes a row.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "memspan/types.hpp"
#include "simd/kernels.hpp"
#include "vectors/stored_rows.hpp"

namespace memspan {

inline constexpr size_t kCodeAlignment = 64;
inline constexpr uint8_t kZeroCode = 128;

inline constexpr size_t code_stride(size_t dim) { return (dim + kCodeAlignment - 1) / kCodeAlignment * kCodeAlignment; }

class CodeRows {
 public:
  CodeRows() = default;
  CodeRows(size_t dim, size_t capacity, huge_pages::Stay stay = huge_pages::Stay::lasting)
      : CodeRows(dim, AlignedBuffer<uint8_t>(capacity * code_stride(dim), stay), capacity) {}
  // What else is to be known of each row is not set yet.
  CodeRows(size_t dim, std::unique_ptr<StoredRows> stored) : CodeRows(dim, {}, stored->size()) {
    codes_ = reinterpret_cast<uint8_t*>(stored->data());
    stored_ = std::move(stored);
  }

  // Returns the scale.
  float put(size_t i, Slot slot, Micros at, const float* unit_vector) {
    const float scale = kernels().quantize_row(unit_vector, dim_, codes_ + i * stride_);
    describe(i, slot, at, scale);
    return scale;
  }
  // For codes that are known.
  void describe(size_t i, Slot slot, Micros at, float scale) {
    scales_[i] = scale;
    slots_[i] = slot;
    ats_[i] = at;
  }
  uint8_t* writable_codes(size_t i) { return codes_ + i * stride_; }
  void erase(size_t i) noexcept {
    if (stored_) stored_->prepare_write(i);
    std::fill_n(codes_ + i * stride_, stride_, kZeroCode);
    scales_[i] = 0.0f;
    slots_[i] = kNoSlot;
  }

  size_t stride() const { return stride_; }
  const uint8_t* codes(size_t i) const { return codes_ + i * stride_; }
  const uint8_t* codes() const { return codes_; }
  // Throws CorruptSnapshot if the codes cannot be used. O(1) except once.
  void check(size_t first, size_t count = 1) const {
    if (stored_) stored_->check(first, count);
  }
  const float* scales() const { return scales_.data(); }
  Slot slot(size_t i) const { return slots_[i]; }
  const Micros* ats() const { return ats_.data(); }
  size_t bytes() const {
    return own_codes_.bytes() + scales_.bytes() + slots_.bytes() + ats_.bytes() + (stored_ ? stored_->heap_bytes() : 0);
  }
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  CodeRows(size_t dim, AlignedBuffer<uint8_t> codes, size_t capacity)
      : dim_(dim), stride_(code_stride(dim)), own_codes_(std::move(codes)), codes_(own_codes_.data()), scales_(capacity),
        slots_(capacity), ats_(capacity) {}

  size_t dim_ = 0;
  size_t stride_ = 0;
  AlignedBuffer<uint8_t> own_codes_;    // empty if they are stored
  std::unique_ptr<StoredRows> stored_;  // null: they are not
  uint8_t* codes_ = nullptr;            // in one of the two
  AlignedBuffer<float> scales_;
  AlignedBuffer<Slot> slots_;
  AlignedBuffer<Micros> ats_;
};

}  // namespace memspan
