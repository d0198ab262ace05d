// A vector that grows without ever copying more than one block.
//
// Elements lie in blocks of kBlock. Only the first block grows, as a vector does, until it is full: few elements take
// little memory, and many of them never move again. Growth therefore costs at most the move of one block, where a
// std::vector of a million elements would stall every reader for milliseconds.
// Thread safety: const members may run in parallel; writes need exclusion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/block_list.hpp"
#include "base/huge_pages.hpp"

namespace memspan {

template <typename T, size_t kBlock = 1024>
class ChunkedVector {
  static_assert((kBlock & (kBlock - 1)) == 0, "a block holds a power of two");

 public:
  ChunkedVector() = default;
  ~ChunkedVector() { free_all(); }
  ChunkedVector(ChunkedVector&& other) noexcept { *this = std::move(other); }
  ChunkedVector& operator=(ChunkedVector&& other) noexcept {
    blocks_ = std::move(other.blocks_);  // swaps
    std::swap(size_, other.size_);
    std::swap(first_capacity_, other.first_capacity_);
    return *this;
  }
  ChunkedVector(const ChunkedVector& other) : ChunkedVector() {
    for (size_t i = 0; i < other.size(); ++i) push_back(other[i]);
  }
  ChunkedVector& operator=(const ChunkedVector& other) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](size_t i) const { return blocks_[i / kBlock][i % kBlock]; }

  // If that throws, nothing has changed.
  void push_back(T value) {
    make_room();
    std::construct_at(&(*this)[size_], std::move(value));
    ++size_;
  }
  void pop_back() { std::destroy_at(&(*this)[--size_]); }
  // New elements are value-initialised.
  void resize(size_t size) {
    while (size_ > size) pop_back();
    while (size_ < size) push_back(T());
  }
  void resize(size_t size, const T& value) {
    while (size_ > size) pop_back();
    while (size_ < size) push_back(value);
  }
  // The next push_back needs no memory. If that throws, nothing has changed.
  void make_room() {
    if (size_ < kBlock) {
      if (size_ == first_capacity_) grow_first();
    } else if (size_ == blocks_.size() * kBlock) {
      blocks_.reserve_one();
      blocks_.push_back(huge_pages::Allocator<T>().allocate(kBlock));
    }
  }

  // Makes `size` elements of an empty vector: fill(std::span<T>) writes them, block by block.
  template <typename Fill>
    requires std::is_trivially_copyable_v<T>
  void fill(size_t size, Fill fill) {
    while (size_ < size) {
      const size_t count = std::min(kBlock, size - size_);
      const size_t capacity = blocks_.empty() ? count : kBlock;
      blocks_.reserve_one();
      blocks_.push_back(huge_pages::Allocator<T>().allocate(capacity));
      if (blocks_.size() == 1) first_capacity_ = static_cast<uint32_t>(capacity);
      fill(std::span<T>(blocks_.back(), count));
      size_ += static_cast<uint32_t>(count);
    }
  }

  // Of the blocks; not what the elements own.
  size_t bytes() const {
    const size_t room = blocks_.empty() ? 0 : first_capacity_ + (blocks_.size() - 1) * kBlock;
    return room * sizeof(T) + blocks_.bytes();
  }

 private:
  void grow_first() {
    constexpr uint32_t kStep = std::clamp<uint32_t>(64 / sizeof(T), 1, 4);  // a line of the cache, if that is not many
    const uint32_t more = std::max(kStep, first_capacity_ / 2);
    const auto capacity = static_cast<uint32_t>(std::min<size_t>(kBlock, first_capacity_ + more));
    T* grown = huge_pages::Allocator<T>().allocate(capacity);
    if (blocks_.empty()) {
      blocks_.push_back(grown);
    } else {
      std::uninitialized_move_n(blocks_[0], size_, grown);
      std::destroy_n(blocks_[0], size_);
      huge_pages::Allocator<T>().deallocate(blocks_[0], first_capacity_);
      blocks_[0] = grown;
    }
    first_capacity_ = capacity;
  }

  void free_all() {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const size_t begin = b * kBlock;
      if (begin < size_) std::destroy_n(blocks_[b], std::min(kBlock, size_ - begin));
      huge_pages::Allocator<T>().deallocate(blocks_[b], b == 0 ? first_capacity_ : kBlock);
    }
  }

  BlockList<T> blocks_;
  uint32_t size_ = 0;
  uint32_t first_capacity_ = 0;  // of the first block; the others hold kBlock
};

}  // namespace memspan
