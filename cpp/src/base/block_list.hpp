// The pointers to a container's blocks, without an allocation while there is only one.
//
// The blocks belong to the container. Thread safety: as that of the container.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace memspan {

template <typename T>
class BlockList {
 public:
  BlockList() = default;
  ~BlockList() {
    if (blocks_ != &single_) delete[] blocks_;
  }
  BlockList(BlockList&& other) noexcept { *this = std::move(other); }
  // Swaps, so that the other one's owner lets this one's blocks go.
  BlockList& operator=(BlockList&& other) noexcept {
    const bool mine_alone = blocks_ == &single_;
    const bool others_alone = other.blocks_ == &other.single_;
    std::swap(blocks_, other.blocks_);
    std::swap(single_, other.single_);
    std::swap(size_, other.size_);
    if (others_alone) blocks_ = &single_;
    if (mine_alone) other.blocks_ = &other.single_;
    return *this;
  }

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T*& operator[](size_t i) { return blocks_[i]; }
  T* operator[](size_t i) const { return blocks_[i]; }
  T* back() const { return blocks_[size_ - 1]; }

  // Makes room for one more, so that push_back cannot fail.
  void reserve_one() {
    // The room is the power of two at or above the size.
    if (size_ == 0 || !std::has_single_bit(size_)) return;
    T** grown = new T*[size_t{2} * size_];
    std::copy_n(blocks_, size_, grown);
    if (blocks_ != &single_) delete[] blocks_;
    blocks_ = grown;
  }
  // After reserve_one().
  void push_back(T* block) { blocks_[size_++] = block; }

  size_t bytes() const { return blocks_ == &single_ ? 0 : std::bit_ceil(size_) * sizeof(T*); }

 private:
  T** blocks_ = &single_;
  T* single_ = nullptr;
  uint32_t size_ = 0;
};

}  // namespace memspan
