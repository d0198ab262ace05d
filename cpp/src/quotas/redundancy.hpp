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
    const Again* found = values_.find(slot);
    return found != nullptr && is_there(*found) ? found->value : 0.0f;
  }
  // The record that says it again; kNoSlot if none does.
  Slot said_again_by(Slot slot) const {
    const Again* found = values_.find(slot);
    return found != nullptr && is_there(*found) ? found->by : kNoSlot;
  }
  static float from_cosine(float cosine) { return std::clamp((cosine - kUnlike) / (1.0f - kUnlike), 0.0f, 1.0f); }

  // The last slots of the kind that came, and kNoSlot for those that are missing; nothing before the first came.
  std::span<const Slot> window(Kind kind) const {
    return windows_ ? std::span<const Slot>(windows_->slots[static_cast<size_t>(kind)]) : std::span<const Slot>();
  }
  // If that throws, nothing has changed.
  void came(Slot slot, Kind kind) {
    if (!windows_) windows_ = std::make_unique<Windows>();
    const size_t k = static_cast<size_t>(kind);
    windows_->slots[k][windows_->next[k]] = slot;
    windows_->next[k] = (windows_->next[k] + 1) % kWindow;
  }
  // If that throws, nothing has changed.
  void set(Slot slot, Slot by, float value) {
    if (stamp_of(by) == 0) stamps_.set(by, ++last_stamp_);
    values_.set(slot, {.by = by, .stamp = stamp_of(by), .value = value});
  }
  void remove(Slot slot, Kind kind) noexcept {
    values_.reset(slot);
    stamps_.reset(slot);
    if (!windows_) return;
    auto& window = windows_->slots[static_cast<size_t>(kind)];
    std::replace(window.begin(), window.end(), slot, kNoSlot);
  }
  size_t bytes() const { return values_.bytes() + stamps_.bytes() + (windows_ ? sizeof(Windows) : 0); }

 private:
  struct Again {
    Slot by = kNoSlot;
    uint32_t stamp = 0;  // of that record, so that the next one in its slot is not taken for it
    float value = 0.0f;
  };

  uint32_t stamp_of(Slot slot) const {
    const uint32_t* found = stamps_.find(slot);
    return found == nullptr ? 0 : *found;
  }
  bool is_there(const Again& again) const { return again.stamp != 0 && stamp_of(again.by) == again.stamp; }

  struct Windows {
    std::array<std::array<Slot, kWindow>, kKindCount> slots;
    std::array<size_t, kKindCount> next = {};

    Windows() {
      for (auto& window : slots) window.fill(kNoSlot);
    }
  };

  SparseColumn<Again> values_;
  SparseColumn<uint32_t> stamps_;  // of records that say others again: differ for all that ever did
  uint32_t last_stamp_ = 0;
  std::unique_ptr<Windows> windows_;  // null for a user without quotas
};

}  // namespace memspan
