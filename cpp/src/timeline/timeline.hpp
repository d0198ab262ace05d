// A user's records in the order of time (SwiftMem 3.3, definition 3.4).
//
// Invariant: entries are sorted by time ascending and, at equal times, by id descending, so that a walk from the end
// gives "newer first, then by id". Thread safety: const members may run in parallel; writes need exclusion.
// Memory: 16 bytes a record.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Timeline {
 public:
  struct Entry {
    Micros at;
    Slot slot;
  };

  // O(log n) to find the place; appending in order of time moves nothing.
  void insert(Slot slot, const Recency& recency);
  // O(m log m + n) for m slots; far cheaper than single inserts when they are out of order.
  void insert_many(std::span<const Slot> slots, const Recency& recency);
  // The slot's time and id must still be those that it was inserted with. O(log n) to find it.
  void erase(Slot slot, const Recency& recency);

  // Positions [first, last) of the entries inside the interval. O(log n).
  std::pair<size_t, size_t> span(const Interval& interval) const;
  using Range = std::span<const Entry>;
  // The entries inside the interval, earliest first. O(log n).
  Range within(const Interval& interval) const;
  size_t count(const Range& range) const { return range.size(); }

  std::span<const Entry> entries() const { return entries_; }
  size_t size() const { return entries_.size(); }

  // Renumbers the slots after a compaction; every entry must have a new slot.
  void remap(std::span<const Slot> new_slots);

  size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace memspan
