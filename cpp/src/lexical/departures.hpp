// Records that have left a user's inverted lists in name only, and those that took their slots.
//
// Taking a record out of the list of each of its terms at once, and putting the next one into the middle of others, costs
// more than all else that an insertion at capacity does. So the postings of a record that departs stay where they are,
// which searches allow for: they leave out what is not alive. Its slot rests meanwhile. When enough slots rest, a sweep goes
// through all lists, a piece with each further departure, and takes out what is dead. Then the slots are used again, in
// ascending order, and the postings of the records that get them are appended to a second list of each term, its tail, until
// the next sweep merges them.
//
// Invariants: no record has postings in both a term's list and its tail; a tail is empty where the list is; a slot that
// rests was not given again. Not thread-safe for writing. Memory: 12 bytes a term, 2 bits a slot, and the dead postings: of
// one slot in kShare, or half as many again while a sweep runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bitset.hpp"
#include "base/chunked_vector.hpp"
#include "lexical/posting_list.hpp"
#include "lexical/term_table.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Departures {
 public:
  static constexpr size_t kShare = 16;
  // Departures that a sweep takes, of those that begin it.
  static constexpr size_t kPace = 8;

  // By term, for all that cover() was told.
  uint32_t& live(TermId term) { return live_[term]; }
  uint32_t live(TermId term) const { return live_[term]; }
  PostingList& tail(TermId term) { return tails_[term]; }
  const PostingList& tail(TermId term) const { return tails_[term]; }
  size_t covered() const { return live_.size(); }
  // A term more, that so many records hold. If that throws, nothing has changed.
  void cover(uint32_t records) {
    live_.make_room();
    tails_.push_back(PostingList());
    live_.push_back(records);
  }

  // The slots of an index, before those of new records leave or are swept.
  void make_room(size_t slots) {
    if (slots <= resting_.size()) return;
    const size_t room = slots + slots / 8 + 64;
    resting_.resize(room);
    swept_.resize(room);
  }
  void leave(Slot slot) {
    resting_.set(slot);
    ++waiting_;
  }
  bool sweeping() const { return sweeping_; }
  bool due(size_t slots) const { return waiting_ >= std::max(kFewest, slots / kShare); }
  // A sweep, in which `work` is to do altogether, of lists whose records rest now.
  void begin(size_t work) {
    swept_ = resting_;
    sweeping_ = true;
    share_ = work / std::max<size_t>(1, std::exchange(waiting_, 0) / kPace) + 1;
    place_ = {};
  }
  size_t share() const { return share_; }  // of the work, for one departure
  // Calls free(slot) for each slot that has rested since before the sweep, the highest first.
  template <typename Free>
  void finish(Free free) {
    resting_.subtract(swept_);
    swept_.for_each_backwards(free);
    sweeping_ = false;
  }

  // What is left of a sweep: the postings of `term` with slots less than `below`, and the terms behind it.
  struct Place {
    TermId term = 0;
    Slot below = kNoSlot;
  };
  Place& place() { return place_; }
  bool was_swept(TermId term) const { return sweeping_ && term < place_.term; }

  // Does the sweep pass over a block that begins at slot `first` or behind it, because nothing there is dead?
  bool all_alive(Slot first, std::span<const Posting> block) const { return !resting_.any(first, block.back().slot()); }
  // The postings of the tail, dead ones too, that belong to slots from `first` to `below`. Valid until the next call.
  std::span<const Posting> tail_between(TermId term, Slot first, Slot below) {
    moved_.clear();
    const PostingList& tail = tails_[term];
    for (size_t b = tail.find_block(first); b < tail.blocks(); ++b) {
      for (const Posting& posting : tail.block(b)) {
        if (posting.slot() >= first && posting.slot() < below) moved_.push_back(posting);
      }
    }
    return moved_;
  }
  // A block and what of the tail belongs there, without what departed. Valid until the next call.
  std::span<const Posting> merge(std::span<const Posting> block, std::span<const Posting> moved) {
    if (merged_.size() < block.size() + moved.size()) merged_.resize(block.size() + moved.size());
    // The block's go to the end of the memory, so that the others can be merged in from its start.
    Posting* const kept = merged_.data() + (merged_.size() - block.size());
    Posting* end = kept;
    for (const Posting& posting : block) {
      *end = posting;
      end += !resting_.test(posting.slot());
    }
    if (moved.empty()) return {kept, end};
    Posting* out = merged_.data();
    const Posting* next = kept;
    for (const Posting& posting : moved) {
      if (resting_.test(posting.slot())) continue;
      while (next != end && next->slot() < posting.slot()) *out++ = *next++;
      *out++ = posting;
    }
    out = std::copy(next, static_cast<const Posting*>(end), out);
    return {merged_.data(), out};
  }

  size_t bytes() const {
    size_t total = sizeof *this + live_.bytes() + tails_.bytes() + resting_.bytes() + swept_.bytes();
    for (size_t term = 0; term < tails_.size(); ++term) total += tails_[term].bytes();
    return total;
  }

 private:
  static constexpr size_t kFewest = 16;

  ChunkedVector<uint32_t> live_;      // how many live records hold each term
  ChunkedVector<PostingList> tails_;
  Bitset resting_;                    // slots that lists may still name
  Bitset swept_;                      // of those, the ones that a sweep in progress frees
  size_t waiting_ = 0;                // departures since the last sweep began
  bool sweeping_ = false;
  size_t share_ = 0;
  Place place_;
  std::vector<Posting> moved_;        // memory of a sweep
  std::vector<Posting> merged_;
};

}  // namespace memspan
