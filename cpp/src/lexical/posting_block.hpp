// A sorted run of up to 2048 postings in one piece of memory: what inverted lists are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lexical/posting.hpp"

namespace memspan {

// Header of the postings that follow it in memory. Its capacity is the smallest of a fixed series that holds `size`, so
// it is not stored; the series makes the best of the sizes that malloc hands out, with about 12 % to spare.
struct PostingBlock {
  static constexpr size_t kMost = 2048;

  uint16_t size;
  uint16_t max_frequency;  // of the postings that were ever in it; Posting::frequency()

  Posting* begin() { return reinterpret_cast<Posting*>(this + 1); }
  const Posting* begin() const { return reinterpret_cast<const Posting*>(this + 1); }
  std::span<const Posting> postings() const { return {begin(), size}; }
  Slot last() const { return begin()[size - 1].slot(); }

  // A block of the given postings, at least one. Throws std::bad_alloc.
  static PostingBlock* make(std::span<const Posting> postings);
  static void free(PostingBlock* block);

  // These change a block, which may move, and return it.
  // Requires size < kMost, and that the slot is not there. Throws std::bad_alloc; then nothing changed.
  static PostingBlock* insert(PostingBlock* block, Posting posting);
  // Requires size > 1. Needs no memory.
  static PostingBlock* erase(PostingBlock* block, size_t position);
  // The same, and the block stays where it is.
  static void erase_in_place(PostingBlock* block, size_t position);
  // Drops all but the first `size` > 0. Needs no memory.
  static PostingBlock* truncate(PostingBlock* block, size_t size);
  // Requires that `more` lies behind and both fit in one block. Null, and nothing changed, if there is no memory.
  static PostingBlock* append(PostingBlock* block, const PostingBlock* more);

  // Position of the first posting whose slot is at least the given one. O(log size).
  size_t lower_bound(Slot slot) const;
  // That of the slot's posting; size if it has none. O(log size).
  size_t find(Slot slot) const {
    const size_t position = lower_bound(slot);
    return position < size && begin()[position].slot() == slot ? position : size;
  }
  size_t bytes() const;  // with its capacity
};

}  // namespace memspan
