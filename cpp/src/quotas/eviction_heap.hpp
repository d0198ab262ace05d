// The records of one kind with the next one to be evicted on top.
//
// Thread safety: const members may run in parallel; writes need exclusion. Every operation is O(log n); a new record,
// which is seldom worth less than those above it, costs O(1) most times. Memory: 16 bytes a record, in blocks that
// never move, and 4 bytes a slot for the positions, which the heaps of all kinds share.
#pragma once

#include "base/chunked_vector.hpp"
#include "base/positioned_heap.hpp"
#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan {

class EvictionHeap {
  struct Entry {
    Micros at;  // kept here too, so that a comparison reads one place
    float value;
    Slot item;
  };
  using Heap = PositionedHeap<ChunkedVector<Entry>>;

 public:
  // By slot; kNowhere for a slot that is in no heap.
  using Positions = ChunkedVector<uint32_t>;
  static constexpr uint32_t kNowhere = Heap::kNowhere;

  size_t size() const { return heap_.size(); }
  Slot top() const { return heap_.top().item; }
  float top_value() const { return heap_.top().value; }

  // `positions` must have room for the slot, which must be in no heap. If that throws, nothing has changed.
  void push(Slot slot, float value, const Recency& recency, Positions& positions) {
    heap_.push(Entry{recency.at(slot), value, slot}, Before{recency}, positions);
  }
  void erase(Slot slot, const Recency& recency, Positions& positions) noexcept { heap_.erase(slot, Before{recency}, positions); }
  void change(Slot slot, float value, const Recency& recency, Positions& positions) noexcept {
    heap_.change(slot, [value](Entry& entry) { entry.value = value; }, Before{recency}, positions);
  }

  size_t bytes() const { return heap_.entries().bytes(); }

 private:
  // Of equal values the older one goes first, as the last in the order of recency.
  struct Before {
    const Recency& recency;

    bool operator()(const Entry& a, const Entry& b) const {
      if (a.value != b.value) return a.value < b.value;
      if (a.at != b.at) return a.at < b.at;
      return Recency::is_later_id(recency.id(b.item), recency.id(a.item));
    }
  };

  Heap heap_;
};

}  // namespace memspan
