#include "quotas/eviction_order.hpp"

#include <algorithm>
#include <vector>

#include "base/prefetch.hpp"
#include "index/user_columns.hpp"

namespace memspan {
namespace {

Micros end_of(const UserColumns& user, Slot slot) {
  const RecordStates& states = user.attributes.states();
  return std::min(states.retired_at(slot), states.expires_at(slot));
}

}  // namespace

void EvictionOrder::follow(const Quotas& quotas) {
  if (!quotas.limit_any()) return order_.reset();
  std::array<bool, kKindCount> limited;
  for (size_t kind = 0; kind < kKindCount; ++kind) limited[kind] = quotas.limits(static_cast<Kind>(kind));
  if (order_ && policy_ == quotas.eviction && order_->limited == limited) return;
  order_ = std::make_unique<Order>();
  order_->limited = limited;
  policy_ = quotas.eviction;
}

bool EvictionOrder::ready(const UserColumns& user, const Quotas& quotas) const {
  if (active() != quotas.limit_any()) return false;
  if (!order_) return true;
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    if (order_->limited[kind] != quotas.limits(static_cast<Kind>(kind))) return false;
  }
  return policy_ == quotas.eviction && order_->covered >= user.slots();
}

void EvictionOrder::cover(const UserColumns& user, size_t most) {
  if (!order_) return;
  size_t& covered = order_->covered;
  const size_t end = std::min(user.slots(), covered + most);
  for (; covered < end; ++covered) {
    if (covered < user.live.size() && user.live.test(covered)) push(user, static_cast<Slot>(covered));
  }
}

// Takes a record into the order, if it belongs there.
void EvictionOrder::push(const UserColumns& user, Slot slot) {
  const auto kind = static_cast<size_t>(user.attributes.kind(slot));
  Order& order = *order_;
  if (!order.limited[kind] || user.attributes.states().pinned(slot)) return;
  if (slot >= order.positions.size()) order.positions.resize(size_t{slot} + 1, EvictionHeap::kNowhere);
  const Micros end = end_of(user, slot);
  if (end != kForever) order.ending[kind].emplace(end, slot);
  try {
    order.heaps[kind].push(slot, value(user, slot), user.recency(), order.positions);
  } catch (...) {
    order.ending[kind].erase({end, slot});
    throw;
  }
}

void EvictionOrder::add(const UserColumns& user, Slot slot) {
  if (!order_ || slot > order_->covered) return;  // what is not covered yet comes with the rest
  push(user, slot);
  if (slot == order_->covered) ++order_->covered;
  const Kind kind = user.attributes.kind(slot);
  if (policy_ != Eviction::value || !order_->limited[static_cast<size_t>(kind)] || !user.vectors.has(slot)) return;
  try {
    compare_with_window(user, slot);
  } catch (...) {
    remove(user, slot);
    throw;
  }
}

// Older records that the new one says again are worth less from now on, if it lasts as long as they do.
void EvictionOrder::compare_with_window(const UserColumns& user, Slot slot) {
  const RecordStates& states = user.attributes.states();
  if (states.retired_at(slot) != kForever) return;
  const Kind kind = user.attributes.kind(slot);
  thread_local std::vector<float> buffer;
  const float* const vector = user.vectors.floats(slot, buffer).data();
  const auto prefetch = [&](Slot other) {
    if (other == kNoSlot) return;
    const std::byte* const row = user.vectors.row(other);
    for (size_t line = 0; line < 4; ++line) prefetch_line(row + 64 * line);
  };
  const std::span<const Slot> window = redundancy_.window(kind);
  if (!window.empty()) prefetch(window[0]);
  for (size_t i = 0; i < window.size(); ++i) {
    if (i + 1 < window.size()) prefetch(window[i + 1]);
    const Slot other = window[i];
    if (other == kNoSlot || !user.vectors.has(other)) continue;  // a broken snapshot may name any
    const float cosine = user.vectors.cosine(vector, other);
    const float redundancy = Redundancy::from_cosine(cosine);
    if (redundancy <= redundancy_.of(other) || states.expires_at(slot) < states.expires_at(other)) continue;
    redundancy_.set(other, slot, redundancy);
    if (holds(other)) {
      order_->heaps[static_cast<size_t>(kind)].change(other, value(user, other), user.recency(), order_->positions);
    }
  }
  redundancy_.came(slot, kind);
}

void EvictionOrder::remove(const UserColumns& user, Slot slot) noexcept {
  const Kind kind = user.attributes.kind(slot);
  redundancy_.remove(slot, kind);
  if (!holds(slot)) return;
  const auto k = static_cast<size_t>(kind);
  order_->heaps[k].erase(slot, user.recency(), order_->positions);
  if (!order_->ending[k].empty()) order_->ending[k].erase({end_of(user, slot), slot});
}

void EvictionOrder::renew(const UserColumns& user, Slot slot) {
  if (!order_ || slot >= order_->covered) return;
  const auto kind = static_cast<size_t>(user.attributes.kind(slot));
  if (holds(slot)) {
    order_->heaps[kind].erase(slot, user.recency(), order_->positions);
    order_->ending[kind].erase({end_of(user, slot), slot});
  }
  push(user, slot);
}

Slot EvictionOrder::next(const UserColumns& user, Kind kind, Micros now) {
  const auto k = static_cast<size_t>(kind);
  if (!order_) return kNoSlot;
  const auto& ending = order_->ending[k];
  if (!ending.empty() && ending.begin()->first <= now) return ending.begin()->second;
  EvictionHeap& heap = order_->heaps[k];
  if (heap.size() == 0) return kNoSlot;
  for (size_t looks = 0; policy_ == Eviction::value && looks < kMostSecondLooks; ++looks) {
    const float by_now = value(user, heap.top());
    if (!(by_now > heap.top_value())) break;
    heap.change(heap.top(), by_now, user.recency(), order_->positions);
  }
  return heap.top();
}

float EvictionOrder::value(const UserColumns& user, Slot slot) const {
  if (policy_ == Eviction::oldest) return 0.0f;
  const float judged = user.attributes.states().importance(slot);
  const auto uses = static_cast<float>(user.uses.count(slot));
  return (judged == kNotJudged ? kUnknownImportance : judged) + uses / (uses + kHalfUses) - redundancy_.of(slot);
}

// u64 records with a redundancy, u32 slot of each, u32 slot of the record that says it again, f32 redundancy of each;
// u64 records that the next ones are compared with, u32 slot of each: none, or those of each kind in the order in which
// they came, kNoSlot for what is missing.
void EvictionOrder::save(ByteWriter& out, std::span<const Slot> live, std::span<const Slot> new_slots) const {
  std::vector<uint32_t> redundant;
  for (uint32_t i = 0; redundancy_.bytes() > 0 && i < live.size(); ++i) {
    if (redundancy_.of(live[i]) > 0.0f) redundant.push_back(i);
  }
  out.put_array<uint32_t>(redundant);
  out.put_each<uint32_t>(redundant.size(),
                         [&](size_t i) { return new_slots[redundancy_.said_again_by(live[redundant[i]])]; });
  out.put_each<float>(redundant.size(), [&](size_t i) { return redundancy_.of(live[redundant[i]]); });
  std::vector<uint32_t> came;
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    for (const Slot slot : redundancy_.came_last(static_cast<Kind>(kind))) came.push_back(slot == kNoSlot ? kNoSlot : new_slots[slot]);
  }
  out.put_array<uint32_t>(came);
}

void EvictionOrder::load(ByteReader& in, const Attributes& attributes, size_t slots) {
  const std::vector<uint32_t> redundant = in.get_array<uint32_t>();
  const std::vector<uint32_t> by = in.get_each<uint32_t>(redundant.size());
  const std::vector<float> values = in.get_each<float>(redundant.size());
  for (size_t i = 0; i < redundant.size(); ++i) {
    in.check(redundant[i] < slots && (i == 0 || redundant[i - 1] < redundant[i]), "redundant records are not in order");
    in.check(by[i] < slots && by[i] != redundant[i], "a redundant record is said again by none");
    in.check(values[i] > 0.0f && values[i] <= 1.0f, "a redundancy is not in 0-1");
    redundancy_.set(redundant[i], by[i], values[i]);
  }
  const std::vector<uint32_t> came = in.get_array<uint32_t>();
  in.check(came.empty() || came.size() == kKindCount * Redundancy::kWindow, "a window has another length");
  for (size_t i = 0; i < came.size(); ++i) {
    const auto kind = static_cast<Kind>(i / Redundancy::kWindow);
    in.check(came[i] == kNoSlot || (came[i] < slots && attributes.kind(came[i]) == kind), "a window has a record of another kind");
    redundancy_.came(came[i], kind);
  }
}

size_t EvictionOrder::bytes() const {
  constexpr size_t kNodeBytes = 56;
  size_t total = redundancy_.bytes();
  if (!order_) return total;
  total += sizeof(Order) + order_->positions.bytes();
  for (const EvictionHeap& heap : order_->heaps) total += heap.bytes();
  for (const auto& ending : order_->ending) total += ending.size() * kNodeBytes;
  return total;
}

}  // namespace memspan
