// The pointers to a container's blocks, without an allocation while there is only one.
//
// The blocks belong to the container, and so does their number: it knows that from its capacity, and every user has
// dozens of containers. Thread safety: as that of the container.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
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
    if (others_alone) blocks_ = &single_;
    if (mine_alone) other.blocks_ = &other.single_;
    return *this;
  }

  T*& operator[](size_t i) { return blocks_[i]; }
  T* operator[](size_t i) const { return blocks_[i]; }

  // Makes room for one more than `count`, the number that there is. If that throws, nothing has changed.
  void reserve_one(size_t count) {
    // The room is the power of two at or above the number.
    if (count == 0 || !std::has_single_bit(count)) return;
    T** grown = new T*[2 * count];
    std::copy_n(blocks_, count, grown);
    if (blocks_ != &single_) delete[] blocks_;
    blocks_ = grown;
  }

  size_t bytes(size_t count) const { return blocks_ == &single_ ? 0 : std::bit_ceil(count) * sizeof(T*); }

 private:
  T** blocks_ = &single_;
  T* single_ = nullptr;
};

}  // namespace memspan
