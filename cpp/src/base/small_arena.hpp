// Memory for many small pieces of 1 to 520 bytes, addressed by 32 bits, where malloc would add 8 to 24 bytes to each
// and a pointer takes 8 more.
//
// Pieces lie in blocks of 16 kB, in units of 8 bytes. A released piece is erased and goes to the list of its size,
// from which later pieces of that size, or smaller ones, are cut; lists are never joined, so that memory follows the
// largest use of each size until the owner builds anew. The last block grows by an eighth of the whole, so that few pieces take
// little memory. Thread safety: const members may run in parallel; writes need exclusion.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "base/block_list.hpp"
#include "base/huge_pages.hpp"
#include "base/malloc_sizes.hpp"

namespace memspan {

class SmallArena {
 public:
  SmallArena() = default;
  ~SmallArena() {
    for (uint32_t b = 0; b < blocks(); ++b) free_block(blocks_[b], std::min(capacity_ - b * kBlockUnits, kBlockUnits));
  }
  SmallArena(SmallArena&& other) noexcept { *this = std::move(other); }
  SmallArena& operator=(SmallArena&& other) noexcept {
    blocks_ = std::move(other.blocks_);  // swaps
    std::swap(free_, other.free_);
    std::swap(free_units_, other.free_units_);
    std::swap(used_, other.used_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  using Ref = uint32_t;
  static constexpr Ref kNone = std::numeric_limits<Ref>::max();
  static constexpr size_t kMaxBytes = 520;

  // Of 1 to kMaxBytes bytes, aligned for 8. Invalidates pointers, but no Ref. If that throws, nothing has changed.
  Ref allocate(size_t bytes) {
    const auto units = units_of(bytes);
    if (free_units_ >= units) {
      if (const Ref piece = take_free(units); piece != kNone) return piece;
    }
    if (used_ + units > capacity_) make_room(units);
    return std::exchange(used_, used_ + units);
  }

  // `bytes` as they were asked for.
  void release(Ref piece, size_t bytes) noexcept {
    const auto units = units_of(bytes);
    std::memset(data(piece), 0, units * kUnit);
    give_free(piece, units);
  }

  std::byte* data(Ref piece) { return blocks_[piece / kBlockUnits] + piece % kBlockUnits * kUnit; }
  const std::byte* data(Ref piece) const { return blocks_[piece / kBlockUnits] + piece % kBlockUnits * kUnit; }

  size_t bytes() const {
    return size_t{capacity_} * kUnit + blocks_.bytes(blocks()) + (free_ ? sizeof(FreeLists) : 0);
  }

 private:
  static constexpr size_t kUnit = 8;
  static constexpr uint32_t kBlockUnits = 2048;
  static constexpr uint32_t kMoreUnits = 6;  // at least, that the last block grows by
  static constexpr size_t kSizes = kMaxBytes / kUnit + 1;  // a list for each number of units
  static constexpr size_t kMaxBlocks = kNone / kBlockUnits;

  struct FreeLists {
    std::array<Ref, kSizes> heads;  // by units
    std::array<uint64_t, kSizes / 64 + 1> filled = {};  // a bit for each that is not empty

    FreeLists() { heads.fill(kNone); }
    // The least size of a piece of at least so many units; kSizes if there is none.
    uint32_t find(uint32_t units) const {
      uint64_t bits = filled[units / 64] & ~uint64_t{0} << units % 64;
      for (uint32_t word = units / 64;; bits = filled[word]) {
        if (bits != 0) return word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        if (++word == filled.size()) return kSizes;
      }
    }
    void set_head(uint32_t units, Ref piece) {
      heads[units] = piece;
      const uint64_t bit = uint64_t{1} << units % 64;
      uint64_t& word = filled[units / 64];
      word = piece == kNone ? word & ~bit : word | bit;
    }
  };

  static std::byte* make_block(uint32_t units) { return huge_pages::Allocator<std::byte>().allocate(units * kUnit); }
  static void free_block(std::byte* block, uint32_t units) noexcept {
    huge_pages::Allocator<std::byte>().deallocate(block, units * kUnit);
  }
  static uint32_t units_of(size_t bytes) { return static_cast<uint32_t>((bytes + kUnit - 1) / kUnit); }

  // A free piece holds the next one of its list.
  Ref next_of(Ref piece) const {
    Ref next;
    std::memcpy(&next, data(piece), sizeof next);
    return next;
  }

  void give_free(Ref piece, uint32_t units) noexcept {
    if (!free_) {
      free_.reset(new (std::nothrow) FreeLists);
      if (!free_) return;  // without memory for the lists the piece is lost
    }
    std::memcpy(data(piece), &free_->heads[units], sizeof(Ref));
    free_->set_head(units, piece);
    free_units_ += units;
  }

  Ref take_free(uint32_t units) {
    const uint32_t size = free_->find(units);
    if (size == kSizes) return kNone;
    const Ref piece = free_->heads[size];
    free_->set_head(size, next_of(piece));
    free_units_ -= size;
    if (size > units) give_free(piece + units, size - units);
    return piece;
  }

  uint32_t blocks() const { return capacity_ / kBlockUnits + (capacity_ % kBlockUnits != 0); }

  void make_room(uint32_t units) {
    if (capacity_ % kBlockUnits != 0 || capacity_ == 0) grow_last(units);
    if (used_ + units <= capacity_) return;
    if (blocks() == kMaxBlocks) throw std::bad_alloc();
    const uint32_t room = more_room(0, units);
    const uint32_t rest = capacity_ - used_;
    blocks_.reserve_one(blocks());
    blocks_[blocks()] = make_block(room);
    if (rest > 0) give_free(used_, rest);
    used_ = std::exchange(capacity_, capacity_ + room);
  }
  // For so many units, if the block can have room for them.
  void grow_last(uint32_t units) {
    const uint32_t block = capacity_ / kBlockUnits;
    const uint32_t start = block * kBlockUnits;
    const uint32_t old_room = capacity_ - start;
    const uint32_t room = more_room(old_room, used_ - start + units);
    auto* const larger = make_block(room);
    if (old_room != 0) {
      std::memcpy(larger, blocks_[block], (used_ - start) * kUnit);
      free_block(blocks_[block], old_room);
    }
    blocks_[block] = larger;
    capacity_ = start + room;
  }
  // The room of the last block when it has to have more than `room`, and `needed` if that can be.
  uint32_t more_room(uint32_t room, uint32_t needed) const {
    const size_t wanted = std::max<size_t>(needed, room + growth_of<uint64_t>(capacity_, kMoreUnits));
    return static_cast<uint32_t>(std::min<size_t>(kBlockUnits, fill_malloc_piece<uint64_t>(wanted)));
  }

  BlockList<std::byte> blocks_;
  std::unique_ptr<FreeLists> free_;  // null until the first release
  uint32_t free_units_ = 0;
  uint32_t used_ = 0;      // units of all blocks: those behind lie in the last one
  uint32_t capacity_ = 0;  // of all blocks, of which the last alone may have less than kBlockUnits
};

}  // namespace memspan
