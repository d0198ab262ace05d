// The records of one kind with the next one to be evicted on top: a heap with four children to a node, in which a
// record can be found by its slot.
//
// Thread safety: const members may run in parallel; writes need exclusion. Every operation is O(log n); a new record,
// which is seldom worth less than those above it, costs O(1) most times. Memory: 16 bytes a record, in blocks that
// never move, and 4 bytes a slot for the positions, which the heaps of all kinds share.
#pragma once

#include <cstdint>
#include <limits>

#include "base/chunked_vector.hpp"
#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan {

class EvictionHeap {
 public:
  // By slot; kNowhere for a slot that is in no heap.
  using Positions = ChunkedVector<uint32_t>;
  static constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

  size_t size() const { return entries_.size(); }
  Slot top() const { return entries_[0].slot; }
  float top_value() const { return entries_[0].value; }

  // `positions` must have room for the slot, which must be in no heap. If that throws, nothing has changed.
  void push(Slot slot, float value, const Recency& recency, Positions& positions) {
    entries_.push_back({recency.at(slot), value, slot});
    rise(entries_.size() - 1, recency, positions);
  }
  void erase(Slot slot, const Recency& recency, Positions& positions) noexcept {
    const uint32_t hole = positions[slot];
    positions[slot] = kNowhere;
    const Entry last = entries_[entries_.size() - 1];
    entries_.pop_back();
    if (last.slot == slot) return;
    put(hole, last, positions);
    settle(hole, recency, positions);
  }
  void change(Slot slot, float value, const Recency& recency, Positions& positions) noexcept {
    const uint32_t position = positions[slot];
    entries_[position].value = value;
    settle(position, recency, positions);
  }

  size_t bytes() const { return entries_.bytes(); }

 private:
  static constexpr size_t kChildren = 4;
  struct Entry {
    Micros at;  // kept here too, so that a comparison reads one place
    float value;
    Slot slot;
  };

  // Does `a` go before `b`? Of equal values the older one, as the last in the order of recency.
  static bool before(const Entry& a, const Entry& b, const Recency& recency) {
    if (a.value != b.value) return a.value < b.value;
    if (a.at != b.at) return a.at < b.at;
    return recency.id(b.slot) < recency.id(a.slot);
  }
  void put(size_t position, const Entry& entry, Positions& positions) noexcept {
    entries_[position] = entry;
    positions[entry.slot] = static_cast<uint32_t>(position);
  }
  void settle(size_t position, const Recency& recency, Positions& positions) noexcept {
    if (rise(position, recency, positions) == position) sink(position, recency, positions);
  }
  size_t rise(size_t position, const Recency& recency, Positions& positions) noexcept {
    const Entry entry = entries_[position];
    while (position > 0) {
      const size_t parent = (position - 1) / kChildren;
      if (!before(entry, entries_[parent], recency)) break;
      put(position, entries_[parent], positions);
      position = parent;
    }
    put(position, entry, positions);
    return position;
  }
  void sink(size_t position, const Recency& recency, Positions& positions) noexcept {
    const Entry entry = entries_[position];
    for (;;) {
      const size_t first = position * kChildren + 1;
      if (first >= entries_.size()) break;
      size_t best = first;
      for (size_t child = first + 1; child < first + kChildren && child < entries_.size(); ++child) {
        if (before(entries_[child], entries_[best], recency)) best = child;
      }
      if (!before(entries_[best], entry, recency)) break;
      put(position, entries_[best], positions);
      position = best;
    }
    put(position, entry, positions);
  }

  ChunkedVector<Entry> entries_;
};

}  // namespace memspan
