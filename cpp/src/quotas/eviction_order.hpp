// Which of a user's records go first when a kind is full.
//
// A record's value is importance + use - redundancy:
//   importance  as it was judged, 0-1; kUnknownImportance for one that nobody judged
//   use         uses / (uses + kHalfUses), 0-1: four searches that brought it are worth half a point, forty nearly one
//   redundancy  quotas/redundancy.hpp, 0-1
// Age takes no part but for ties: an old fact that is asked for stays. A use does not move a record in the order, which
// would cost a search a lock, nor does the end of a record that said it again; since both only make a record worth more, it
// is enough to look again at the one on top, and to put it back where it belongs by now. One eviction looks at kMostSecondLooks at most, so that nobody waits for
// what a million searches did; if those do not suffice, the best known goes.
//
// The order exists for the kinds that have a limit, and is made in pieces (`cover`), so that limiting a large user holds
// no search up. Thread safety: const members may run in parallel; writes need exclusion. O(log n) for each change. Memory:
// 20 bytes for each record of a limited kind, about 60 more for one that is retired or expires.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "memspan/quotas.hpp"
#include "quotas/eviction_heap.hpp"
#include "quotas/redundancy.hpp"

namespace memspan {

class Attributes;
struct UserColumns;

class EvictionOrder {
 public:
  static constexpr float kUnknownImportance = 0.5f;
  static constexpr float kHalfUses = 4.0f;
  static constexpr size_t kMostSecondLooks = 256;

  // From now on the order follows these quotas. What it held is dropped if the policy or the limited kinds are others.
  void follow(const Quotas& quotas);
  bool active() const { return order_ != nullptr; }
  // Is every record of a limited kind in the order that these quotas ask for?
  bool ready(const UserColumns& user, const Quotas& quotas) const;
  // Takes the next `most` slots into the order. If that throws, the rest is still to come.
  void cover(const UserColumns& user, size_t most);

  // After the record is in all other columns that the value reads. If that throws, nothing has changed.
  void add(const UserColumns& user, Slot slot);
  // Before it leaves them.
  void remove(const UserColumns& user, Slot slot) noexcept;
  // After its pin or its count of uses was set anew. If that throws, it is in no order.
  void renew(const UserColumns& user, Slot slot);

  // How many records of a limited kind could be evicted.
  size_t evictable(Kind kind) const { return order_ ? order_->heaps[static_cast<size_t>(kind)].size() : 0; }
  // The one that is likely to be next; kNoSlot if there is none.
  Slot likely_next(Kind kind) const { return evictable(kind) == 0 ? kNoSlot : order_->heaps[static_cast<size_t>(kind)].top(); }
  // The next one to go, or kNoSlot.
  Slot next(const UserColumns& user, Kind kind, Micros now);
  // What the order goes by; 0 for `oldest`.
  float value(const UserColumns& user, Slot slot) const;

  // Redundancies, and what the next records are compared with; the order is made again. `new_slots` tells where each of
  // `live` will be, `attributes` the kinds of records that are loaded.
  void save(ByteWriter& out, std::span<const Slot> live, std::span<const Slot> new_slots) const;
  void load(ByteReader& in, const Attributes& attributes, size_t slots);
  size_t bytes() const;

 private:
  // Most users have no quotas: what only the order needs is one pointer without them.
  struct Order {
    std::array<bool, kKindCount> limited = {};
    size_t covered = 0;  // slots below are in the order, if they should be
    EvictionHeap::Positions positions;
    std::array<EvictionHeap, kKindCount> heaps;
    std::array<std::set<std::pair<Micros, Slot>>, kKindCount> ending;  // when the records of the heap retire or expire
  };

  bool holds(Slot slot) const {
    return order_ && slot < order_->positions.size() && order_->positions[slot] != EvictionHeap::kNowhere;
  }
  void push(const UserColumns& user, Slot slot);
  void compare_with_window(const UserColumns& user, Slot slot);

  Eviction policy_ = Eviction::value;
  std::unique_ptr<Order> order_;  // null: nothing is limited
  Redundancy redundancy_;
};

}  // namespace memspan
