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
  // Requires size < kMost, and that the slot is not there, but belongs at the position. Throws std::bad_alloc; then nothing changed.
  static PostingBlock* insert(PostingBlock* block, Posting posting, size_t position);
  static PostingBlock* insert(PostingBlock* block, Posting posting) {
    return insert(block, posting, block->lower_bound(posting.slot()));
  }
  // Requires size > 1. Needs no memory.
  static PostingBlock* erase(PostingBlock* block, size_t position);
  // The same, and the block stays where it is.
  static void erase_in_place(PostingBlock* block, size_t position);
  // Drops all but the first `size` > 0. Needs no memory.
  static PostingBlock* truncate(PostingBlock* block, size_t size);
  // Requires that `more` lies behind and both fit in one block. Null, and nothing changed, if there is no memory.
  static PostingBlock* append(PostingBlock* block, const PostingBlock* more);

  // Makes it hold other postings, at least one and at most kMost. Throws std::bad_alloc; then nothing changed.
  static PostingBlock* assign(PostingBlock* block, std::span<const Posting> postings);

  // Position of the first posting whose slot is at least the given one. O(log size).
  size_t lower_bound(Slot slot) const;
  // The first posting at or behind the slot among [low, high], which ends with such a one. Slots are spread evenly enough
  // that a guess from both ends comes near. O(log size).
  static const Posting* find_near(const Posting* low, const Posting* high, Slot slot);
  // The same, beginning with a guess: what is far from it is not read.
  static const Posting* find_near(const Posting* low, const Posting* near, const Posting* high, Slot slot);
  // About where the slot is among `size` postings, the last of which has the slot `last`; those before have `before` or less.
  static const Posting* guess(const Posting* first, Slot before, size_t size, Slot last, Slot slot) {
    const double share = slot <= before ? 0.0 : static_cast<double>(slot - before) / static_cast<double>(last - before);
    return first + static_cast<std::ptrdiff_t>(share * static_cast<double>(size - 1));
  }
  // About where the slot is between two postings on either side of it.
  static const Posting* guess(const Posting* low, const Posting* high, Slot slot) {
    const double share = static_cast<double>(slot - low->slot()) / static_cast<double>(high->slot() - low->slot());
    return low + static_cast<std::ptrdiff_t>(share * static_cast<double>(high - low));
  }
  // That of the slot's posting; size if it has none. O(log size).
  size_t find(Slot slot) const {
    const size_t position = lower_bound(slot);
    return position < size && begin()[position].slot() == slot ? position : size;
  }
  size_t bytes() const;  // with its capacity
};

}  // namespace memspan
