// Whether a user's writes have made a consolidation worth it, and whether somebody has taken it on.
//
// A consolidation reads all rows of the user, so it waits for changes in proportion to them, up to what searches can scan
// meanwhile: then the work is a constant for each write to all but the largest users. Thread safety: `claim` may be called
// at any time; the rest with the user's lock held, `update` alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "index/consolidation.hpp"

namespace memspan {

class ConsolidationNeed {
 public:
  // After writes. O(1), some nanoseconds.
  void update(const VectorTable& vectors) {
    if (state_.load(std::memory_order_relaxed) != kNone) return;
    if (vectors.changed_rows() < least_ || vectors.pinned()) return;
    if (consolidation_pays(vectors)) state_.store(kDue, std::memory_order_release);
  }
  // Somebody has taken it on, and rows come faster than they are laid out, or go: one that is under way holds on to the slots
  // of those, and searches scan them.
  bool behind(const VectorTable& vectors, bool many_dead_slots) const {
    if (state_.load(std::memory_order_relaxed) != kClaimed) return false;
    return fresh_bytes(vectors) > kTooManyFreshBytes || (many_dead_slots && vectors.pinned());
  }
  // True for one caller after each time that it became due: the caller sees to it.
  bool claim() {
    uint8_t due = kDue;
    return state_.load(std::memory_order_relaxed) == kDue && state_.compare_exchange_strong(due, kClaimed);
  }
  // By the one who claimed it, when it is done: is it due again? Then it stays claimed.
  bool keep_claim(const VectorTable& vectors) {
    least_ = kLeastChanged;
    const bool again = consolidation_pays(vectors);
    if (!again) state_.store(kNone, std::memory_order_relaxed);
    return again;
  }
  // By the one who claimed it, when it could not be done.
  void postpone(const VectorTable& vectors) {
    least_ = 2 * std::max(kLeastChanged, vectors.changed_rows());
    state_.store(kNone, std::memory_order_relaxed);
  }

 private:
  static constexpr uint8_t kNone = 0, kDue = 1, kClaimed = 2;

  std::atomic<uint8_t> state_ = kNone;
  size_t least_ = kLeastChanged;
};

}  // namespace memspan
