// How far each record is said again by a later one of its kind.
//
// A record that comes is compared with the last kWindow of its kind that came before: those say the same in other words
// most often, because what is extracted from neighbouring turns, or told again, comes soon after. Of a pair that is alike
// the older one is redundant, the newer one stays as it is: so of many that say the same, one is never redundant. It is
// redundant for as long as the other one is there: when that is removed, evicted, overwritten or retired, it counts in full
// again. Whole users are searched for pairs in sleep, not here.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: sparse; next to nothing without
// redundant records.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/sparse_column.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Redundancy {
 public:
  static constexpr size_t kWindow = 16;
  // Cosines up to here are no redundancy; from here it grows evenly to 1 for vectors that point the same way.
  static constexpr float kUnlike = 0.8f;

  // 0-1. O(1).
  float of(Slot slot) const {
    const Again* found = find(slot);
    return found == nullptr ? 0.0f : found->value;
  }
  // The record that says it again; kNoSlot if none does.
  Slot said_again_by(Slot slot) const {
    const Again* found = find(slot);
    return found == nullptr ? kNoSlot : found->by;
  }
  static float from_cosine(float cosine) { return std::clamp((cosine - kUnlike) / (1.0f - kUnlike), 0.0f, 1.0f); }

  // The last slots of the kind that came, and kNoSlot for those that are missing; nothing before the first came.
  std::span<const Slot> window(Kind kind) const {
    return known_ ? std::span<const Slot>(known_->windows[static_cast<size_t>(kind)]) : std::span<const Slot>();
  }
  // The window in the order in which its records came, kNoSlot for those that are missing. O(kWindow).
  std::vector<Slot> came_last(Kind kind) const {
    const std::span<const Slot> all = window(kind);
    std::vector<Slot> slots(all.begin(), all.end());
    if (known_) std::rotate(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(known_->next[static_cast<size_t>(kind)]), slots.end());
    return slots;
  }
  // If that throws, nothing has changed.
  void came(Slot slot, Kind kind) {
    Known& known = make_known();
    const size_t k = static_cast<size_t>(kind);
    known.windows[k][known.next[k]] = slot;
    known.next[k] = (known.next[k] + 1) % kWindow;
  }
  // If that throws, nothing has changed.
  void set(Slot slot, Slot by, float value) {
    Known& known = make_known();
    if (known.stamp_of(by) == 0) known.stamps.set(by, ++known.last_stamp);
    known.values.set(slot, {.by = by, .stamp = known.stamp_of(by), .value = value});
  }
  void remove(Slot slot, Kind kind) noexcept {
    if (!known_) return;
    known_->values.reset(slot);
    known_->stamps.reset(slot);
    auto& window = known_->windows[static_cast<size_t>(kind)];
    std::replace(window.begin(), window.end(), slot, kNoSlot);
  }
  size_t bytes() const { return known_ ? sizeof(Known) + known_->values.bytes() + known_->stamps.bytes() : 0; }

 private:
  struct Again {
    Slot by = kNoSlot;
    uint32_t stamp = 0;  // of that record, so that the next one in its slot is not taken for it
    float value = 0.0f;
  };

  struct Known {
    SparseColumn<Again> values;
    SparseColumn<uint32_t> stamps;  // of records that say others again: differ for all that ever did
    uint32_t last_stamp = 0;
    std::array<std::array<Slot, kWindow>, kKindCount> windows;
    std::array<size_t, kKindCount> next = {};

    Known() {
      for (auto& window : windows) window.fill(kNoSlot);
    }
    uint32_t stamp_of(Slot slot) const {
      const uint32_t* found = stamps.find(slot);
      return found == nullptr ? 0 : *found;
    }
  };

  // Null unless another one that is there says it again.
  const Again* find(Slot slot) const {
    const Again* found = known_ ? known_->values.find(slot) : nullptr;
    return found != nullptr && found->stamp != 0 && known_->stamp_of(found->by) == found->stamp ? found : nullptr;
  }
  Known& make_known() {
    if (!known_) known_ = std::make_unique<Known>();
    return *known_;
  }

  std::unique_ptr<Known> known_;  // null for a user without quotas, who is to take little memory
};

}  // namespace memspan
