// A user's records in the order of time (SwiftMem 3.3, definition 3.4).
//
// Invariant: entries are in the reverse of the order of Recency, so that a walk from the end gives the newest first.
// Thread safety: const members may run in parallel; writes need exclusion.
// Memory: 12 bytes a record that comes in the order of time, up to about 24 for others.
#pragma once

#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>

#include "base/bytes.hpp"
#include "base/recency.hpp"
#include "base/sorted_blocks.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Timeline {
 public:
  // In 12 bytes, four of which would be idle otherwise.
  class Entry {
   public:
    Entry() = default;
    Entry(Micros at, Slot slot) : slot_(slot) { std::memcpy(at_, &at, sizeof at); }
    Micros at() const {
      Micros at;
      std::memcpy(&at, at_, sizeof at);
      return at;
    }
    Slot slot() const { return slot_; }

   private:
    uint32_t at_[2];
    Slot slot_;
  };
  static_assert(sizeof(Entry) == 12);
  using Entries = SortedBlocks<Entry>;
  using Range = std::ranges::subrange<Entries::Iterator>;

  // O(log n), and the move of at most one block of entries; appending in the order of time moves nothing.
  void insert(Slot slot, const Recency& recency);
  // The slot's time and id must still be those that it was inserted with. O(log n) to find it.
  void erase(Slot slot, const Recency& recency);

  // The first entry at or after a time. O(log n).
  Entries::Iterator first_at(Micros time) const {
    return entries_.partition_point([time](const Entry& entry) { return entry.at() < time; });
  }
  // The entries inside the interval, earliest first. O(log n).
  Range within(const Interval& interval) const;
  // How many those are. O(entries / kBlock).
  size_t count(const Range& range) const { return Entries::distance(range.begin(), range.end()); }
  // All entries, earliest first; walk them from the end for the newest.
  const Entries& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }

  // The slots in their order, by their new numbers. Loaded into an empty timeline they must be 0, 1, ... `count` - 1.
  void save(ByteWriter& out, std::span<const Slot> new_slots) const;
  void load(ByteReader& in, size_t count, const Recency& recency);

  size_t bytes() const { return entries_.bytes(); }

 private:
  Entries entries_;
};

}  // namespace memspan
