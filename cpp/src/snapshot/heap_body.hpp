// A body in memory: of an image that is loaded again at once, and never reaches a file.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/aligned_buffer.hpp"
#include "snapshot/body.hpp"

namespace memspan {

class HeapBody final : public BodyWriter {
 public:
  // Room for so many bytes costs address space at first; more are copied into larger room.
  explicit HeapBody(size_t expected) : bytes_(expected) {}

  uint64_t append(std::span<const std::byte> bytes) override {
    const size_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    if (offset + bytes.size() > bytes_.size()) {
      AlignedBuffer<std::byte> larger(std::max(offset + bytes.size(), bytes_.size() + bytes_.size() / 2));
      std::copy_n(bytes_.data(), size_, larger.data());
      bytes_ = std::move(larger);
    }
    std::fill(bytes_.data() + size_, bytes_.data() + offset, std::byte{0});
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + offset);
    size_ = offset + bytes.size();
    return offset;
  }

  Body take() {
    const auto owner = std::make_shared<AlignedBuffer<std::byte>>(std::move(bytes_));
    return {.data = owner->data(), .size = std::exchange(size_, 0), .owner = owner, .on_heap = true};
  }

 private:
  AlignedBuffer<std::byte> bytes_;
  size_t size_ = 0;
};

}  // namespace memspan
