// 64 numbers that stand for a vector, as one byte each: to rule out, sixteen vectors at a time, that two of them have a
// cosine of some size (the kernel code_blocks).
//
// All codes have one scale, so that a product of codes compares with one number; each vector knows how far it is from what
// its codes stand for, and numbers beyond the scale are cut off, which only makes that distance larger. Thread safety:
// as a plain array. Memory: 72 bytes a vector.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.hpp"

namespace memspan {

class ShortCodes {
 public:
  static constexpr size_t kNumbers = 64;
  static constexpr size_t kBlock = 16;  // vectors

  // `most`: the magnitude that most numbers will not exceed.
  ShortCodes(size_t capacity, float most)
      : step_(std::clamp(most, kLeastScale, 1.0f) / kMost), codes_((capacity + kBlock - 1) / kBlock * kBlock * kNumbers),
        slack_((capacity + kBlock - 1) / kBlock * kBlock), errors_(capacity) {}

  // The next one; its length is 1, up to rounding.
  void add(std::span<const float, kNumbers> vector) {
    const size_t i = size_++;
    uint8_t* const block = codes_.data() + i / kBlock * kBlock * kNumbers;
    if (i % kBlock == 0) {  // what is not there is never found
      std::fill_n(block, kBlock * kNumbers, kBias);
      std::fill_n(slack_.data() + i, kBlock, kNever);
    }
    float square = 0.0f;
    for (size_t d = 0; d < kNumbers; ++d) {
      const float code = std::clamp(std::nearbyint(vector[d] / step_), -kMost, kMost);
      block[place(i, d)] = static_cast<uint8_t>(static_cast<int>(code) + kBias);
      const float off = vector[d] - code * step_;
      square += off * off;
    }
    errors_[i] = std::sqrt(square) * 1.001f + 1e-6f;
    slack_[i] = static_cast<int32_t>(std::ceil(kLongest * errors_[i] / (step_ * step_)));
  }
  size_t size() const { return size_; }

  const uint8_t* block(size_t b) const { return codes_.data() + b * kBlock * kNumbers; }
  const int32_t* slack() const { return slack_.data(); }

  // Vector i as a query: its 64 codes, and the least sum that another one must have with it, its slack included, if
  // their product is `least` or more. |xy - x'y'| <= |x - x'||y| + |x'||y - y'|, with x', y' for what codes stand for.
  int32_t query(size_t i, float least, int8_t* out) const {
    constexpr float kRounding = 1e-4f;
    const uint8_t* const block = codes_.data() + i / kBlock * kBlock * kNumbers;
    int32_t sum = 0;
    for (size_t d = 0; d < kNumbers; ++d) {
      out[d] = static_cast<int8_t>(int{block[place(i, d)]} - kBias);
      sum += out[d];
    }
    const float needed = (least - kLongestVector * errors_[i] - kRounding) / (step_ * step_);
    return static_cast<int32_t>(std::floor(needed)) + kBias * sum;
  }

 private:
  static constexpr float kMost = 63.0f;  // magnitude of a code
  static constexpr uint8_t kBias = 64;
  static constexpr int32_t kNever = -(1 << 29);
  static constexpr float kLongestVector = 1.0001f;
  static constexpr float kLeastScale = 0.1f;  // of 64 numbers of length 1, one is .125 or more
  // What codes stand for is longer than its vector by at most 8 halves of a step, and a step is 1 / 63 at most.
  static constexpr float kLongest = 1.07f;

  static size_t place(size_t i, size_t d) { return d / 4 * (4 * kBlock) + i % kBlock * 4 + d % 4; }

  float step_;
  size_t size_ = 0;
  AlignedBuffer<uint8_t> codes_;
  AlignedBuffer<int32_t> slack_;
  AlignedBuffer<float> errors_;
};

}  // namespace memspan
