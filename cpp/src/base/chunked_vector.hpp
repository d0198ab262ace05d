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
#include "base/malloc_sizes.hpp"

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
    std::swap(capacity_, other.capacity_);
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
    if (size_ < capacity_) return;
    if (capacity_ < kBlock) {
      grow_first();
    } else {
      add_block(kBlock);
    }
  }

  // Makes `size` elements of an empty vector: fill(std::span<T>) writes them, block by block.
  template <typename Fill>
    requires std::is_trivially_copyable_v<T>
  void fill(size_t size, Fill fill) {
    while (size_ < size) {
      const size_t count = std::min(kBlock, size - size_);
      add_block(capacity_ == 0 ? count : kBlock);
      fill(std::span<T>(blocks_[blocks() - 1], count));
      size_ += static_cast<uint32_t>(count);
    }
  }

  // Of the blocks; not what the elements own.
  size_t bytes() const { return capacity_ * sizeof(T) + blocks_.bytes(blocks()); }

 private:
  size_t blocks() const { return capacity_ < kBlock ? capacity_ != 0 : capacity_ / kBlock; }

  // Behind full ones, or the first.
  void add_block(size_t capacity) {
    const size_t count = blocks();
    blocks_.reserve_one(count);
    blocks_[count] = huge_pages::Allocator<T>().allocate(capacity);
    capacity_ += static_cast<uint32_t>(capacity);
  }

  void grow_first() {
    const size_t capacity = std::min(kBlock, fill_malloc_piece<T>(capacity_ + growth_of<T>(capacity_)));
    T* grown = huge_pages::Allocator<T>().allocate(capacity);
    if (capacity_ != 0) {
      std::uninitialized_move_n(blocks_[0], size_, grown);
      std::destroy_n(blocks_[0], size_);
      huge_pages::Allocator<T>().deallocate(blocks_[0], capacity_);
    }
    blocks_[0] = grown;
    capacity_ = static_cast<uint32_t>(capacity);
  }

  void free_all() {
    for (size_t b = 0; b < blocks(); ++b) {
      const size_t begin = b * kBlock;
      if (begin < size_) std::destroy_n(blocks_[b], std::min(kBlock, size_ - begin));
      huge_pages::Allocator<T>().deallocate(blocks_[b], std::min<size_t>(kBlock, capacity_));
    }
  }

  BlockList<T> blocks_;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;  // of all blocks; less than kBlock: of the first, which is alone
};

}  // namespace memspan
