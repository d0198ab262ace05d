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
      : dim_(dim), stride_(code_stride(dim)), capacity_(capacity) {
    // One piece, if it can come from huge pages: the columns apart are so small that malloc would have them. What passes
    // is worth whole pages, for it would leave holes among what stays.
    const size_t codes = capacity * stride_;
    size_t size = codes + capacity * kColumnBytes;
    const bool passing = stay == huge_pages::Stay::passing && size >= huge_pages::kPage / 2;
    if (passing && !huge_pages::serve(codes)) size = huge_pages::round_up(size);
    const bool together = huge_pages::serve(size);
    own_ = AlignedBuffer<uint8_t>(together ? size : codes, stay);
    codes_ = own_.data();
    if (together) {
      ats_ = reinterpret_cast<Micros*>(codes_ + codes);
    } else {
      make_columns();
    }
  }
  // Of so many rows in one piece.
  static size_t bytes_of(size_t dim, size_t capacity) {
    return huge_pages::round_up(capacity * (code_stride(dim) + kColumnBytes));
  }
  // What else is to be known of each row is not set yet.
  CodeRows(size_t dim, std::unique_ptr<StoredRows> stored)
      : dim_(dim), stride_(code_stride(dim)), capacity_(stored->size()), stored_(std::move(stored)),
        codes_(reinterpret_cast<uint8_t*>(stored_->data())) {
    make_columns();
  }

  // Returns the scale.
  float put(size_t i, Slot slot, Micros at, const float* unit_vector) {
    const float scale = kernels().quantize_row(unit_vector, dim_, codes_ + i * stride_);
    describe(i, slot, at, scale);
    return scale;
  }
  // For codes that are known.
  void describe(size_t i, Slot slot, Micros at, float scale) {
    scales()[i] = scale;
    slots()[i] = slot;
    ats_[i] = at;
  }
  uint8_t* writable_codes(size_t i) { return codes_ + i * stride_; }
  void erase(size_t i) noexcept {
    if (stored_) stored_->prepare_write(i);
    std::fill_n(codes_ + i * stride_, stride_, kZeroCode);
    scales()[i] = 0.0f;
    slots()[i] = kNoSlot;
  }

  size_t stride() const { return stride_; }
  const uint8_t* codes(size_t i) const { return codes_ + i * stride_; }
  const uint8_t* codes() const { return codes_; }
  // Throws CorruptSnapshot if the codes cannot be used. O(1) except once.
  void check(size_t first, size_t count = 1) const {
    if (stored_) stored_->check(first, count);
  }
  const float* scales() const { return reinterpret_cast<const float*>(ats_ + capacity_); }
  Slot slot(size_t i) const { return const_cast<CodeRows*>(this)->slots()[i]; }
  const Micros* ats() const { return ats_; }
  size_t bytes() const { return own_.bytes() + columns_.bytes() + (stored_ ? stored_->heap_bytes() : 0); }
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  static constexpr size_t kColumnBytes = sizeof(Micros) + sizeof(float) + sizeof(Slot);

  void make_columns() {
    columns_ = AlignedBuffer<uint8_t>(capacity_ * kColumnBytes);
    ats_ = reinterpret_cast<Micros*>(columns_.data());
  }
  float* scales() { return reinterpret_cast<float*>(ats_ + capacity_); }
  Slot* slots() { return reinterpret_cast<Slot*>(scales() + capacity_); }

  size_t dim_ = 0;
  size_t stride_ = 0;
  size_t capacity_ = 0;
  AlignedBuffer<uint8_t> own_;          // codes, if they are not stored, and perhaps the columns
  AlignedBuffer<uint8_t> columns_;      // empty if they are in the former
  std::unique_ptr<StoredRows> stored_;  // null: they are not
  uint8_t* codes_ = nullptr;
  Micros* ats_ = nullptr;  // times, then scales, then slots
};

}  // namespace memspan
