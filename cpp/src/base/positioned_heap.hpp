// A heap with four children to a node, in which an entry can be found by the number of its item: what comes before all
// others is on top, and any entry can be changed or taken out.
//
// `Entries` is a vector of entries, each with a uint32_t `item`. Positions are kept by the caller, by item, so that several
// heaps can share them; kNowhere stands for an item that is in none. before(a, b) says whether entry a comes first.
// Thread safety: const members may run in parallel; writes need exclusion. Every operation is O(log n); only `push` needs
// memory, if `Entries` does.
#pragma once

#include <cstdint>
#include <limits>

namespace memspan {

template <typename Entries>
class PositionedHeap {
 public:
  static constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

  size_t size() const { return entries_.size(); }
  const auto& top() const { return entries_[0]; }
  const Entries& entries() const { return entries_; }
  void reserve(size_t size) { entries_.reserve(size); }

  // `positions` must have room for the item, which must be in no heap. If that throws, nothing has changed.
  template <typename Entry, typename Before, typename Positions>
  void push(const Entry& entry, Before before, Positions& positions) {
    entries_.push_back(entry);
    rise(entries_.size() - 1, before, positions);
  }
  template <typename Before, typename Positions>
  void erase(uint32_t item, Before before, Positions& positions) noexcept {
    const uint32_t hole = positions[item];
    positions[item] = kNowhere;
    const auto last = entries_[entries_.size() - 1];
    entries_.pop_back();
    if (last.item == item) return;
    put(hole, last, positions);
    settle(hole, before, positions);
  }
  // Calls make(entry), which may change all but the item.
  template <typename Change, typename Before, typename Positions>
  void change(uint32_t item, Change make, Before before, Positions& positions) noexcept {
    make(entries_[positions[item]]);
    settle(positions[item], before, positions);
  }
  // The item gets another number, which no other has.
  template <typename Positions>
  void renumber(uint32_t from, uint32_t to, Positions& positions) noexcept {
    positions[to] = positions[from];
    positions[from] = kNowhere;
    if (positions[to] != kNowhere) entries_[positions[to]].item = to;
  }

 private:
  static constexpr size_t kChildren = 4;

  template <typename Entry, typename Positions>
  void put(size_t position, const Entry& entry, Positions& positions) noexcept {
    entries_[position] = entry;
    positions[entry.item] = static_cast<uint32_t>(position);
  }
  template <typename Before, typename Positions>
  void settle(size_t position, Before before, Positions& positions) noexcept {
    if (rise(position, before, positions) == position) sink(position, before, positions);
  }
  template <typename Before, typename Positions>
  size_t rise(size_t position, Before before, Positions& positions) noexcept {
    const auto entry = entries_[position];
    while (position > 0) {
      const size_t parent = (position - 1) / kChildren;
      if (!before(entry, entries_[parent])) break;
      put(position, entries_[parent], positions);
      position = parent;
    }
    put(position, entry, positions);
    return position;
  }
  template <typename Before, typename Positions>
  void sink(size_t position, Before before, Positions& positions) noexcept {
    const auto entry = entries_[position];
    for (;;) {
      const size_t first = position * kChildren + 1;
      if (first >= entries_.size()) break;
      size_t best = first;
      for (size_t child = first + 1; child < first + kChildren && child < entries_.size(); ++child) {
        if (before(entries_[child], entries_[best])) best = child;
      }
      if (!before(entries_[best], entry)) break;
      put(position, entries_[best], positions);
      position = best;
    }
    put(position, entry, positions);
  }

  Entries entries_;
};

}  // namespace memspan
