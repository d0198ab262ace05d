// The records of each session in the order of time, for what stands next to a hit. Retired records are left out by who
// fills it: nobody stands next to what is no longer believed.
//
// Invariant: each list is in the reverse of the order of Recency, as the timeline is. Thread safety: const members may run
// in parallel; writes need exclusion. Memory: 4 bytes a record, 32 a session.
#pragma once

#include <span>

#include "base/chunked_vector.hpp"
#include "base/recency.hpp"
#include "base/sorted_blocks.hpp"
#include "base/string_pool.hpp"
#include "memspan/types.hpp"
#include "timeline/timeline.hpp"

namespace memspan {

class Sessions {
 public:
  using Turns = SortedBlocks<Slot>;

  // Records without a session (StringPool::kNone) are ignored. O(log n), and the move of at most one block.
  void insert(StringPool::Symbol session, Slot slot, const Recency& recency);
  void erase(StringPool::Symbol session, Slot slot, const Recency& recency);

  // The session's records, earliest first.
  const Turns& turns(StringPool::Symbol session) const;
  // Where the record is in its session's turns; their end, if it is none of them. O(log n).
  Turns::Iterator find(StringPool::Symbol session, Slot slot, const Recency& recency) const;

  size_t size() const { return count_; }
  // Fills an empty object: `of_slot` is the session of each slot of the timeline. O(records).
  void build(std::span<const StringPool::Symbol> of_slot, const Timeline& timeline);

  size_t bytes() const;

 private:
  ChunkedVector<Turns, 128> turns_;  // by symbol; most symbols are sessions
  size_t count_ = 0;                 // of sessions with a record
};

}  // namespace memspan
