// How far each record is said again by a later one of its kind.
//
// A record that comes is compared with the last kWindow of its kind that came before: those say the same in other words
// most often, because what is extracted from neighbouring turns, or told again, comes soon after. Of a pair that is alike
// the older one is redundant, the newer one stays as it is: so of many that say the same, one is never redundant. Whole
// users are searched for pairs in sleep, not here.
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

  // 0-1.
  float of(Slot slot) const {
    const float* found = values_.find(slot);
    return found == nullptr ? 0.0f : *found;
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
  void set(Slot slot, float value) { values_.set(slot, value); }
  void remove(Slot slot, Kind kind) noexcept {
    values_.reset(slot);
    if (!windows_) return;
    auto& window = windows_->slots[static_cast<size_t>(kind)];
    std::replace(window.begin(), window.end(), slot, kNoSlot);
  }
  size_t bytes() const { return values_.bytes() + (windows_ ? sizeof(Windows) : 0); }

 private:
  struct Windows {
    std::array<std::array<Slot, kWindow>, kKindCount> slots;
    std::array<size_t, kKindCount> next = {};

    Windows() {
      for (auto& window : slots) window.fill(kNoSlot);
    }
  };

  SparseColumn<float> values_;
  std::unique_ptr<Windows> windows_;  // null for a user without quotas
};

}  // namespace memspan
