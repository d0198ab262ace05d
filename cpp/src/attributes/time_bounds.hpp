// The earliest and the latest of the times of each 64 slots, the bits of a word. They tell for most records at once which
// side of a moment they lie on: what comes together lies together.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 0.75 bytes a slot behind the first
// kLookedAt, which have no bounds and are looked at one by one: a small user pays nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "base/bitset.hpp"
#include "base/chunked_vector.hpp"
#include "memspan/types.hpp"

namespace memspan {

class TimeBounds {
 public:
  struct Range {
    Micros first = std::numeric_limits<Micros>::max();
    Micros last = std::numeric_limits<Micros>::min();

    void take(Micros time) {
      first = std::min(first, time);
      last = std::max(last, time);
    }
    bool ends_at(Micros time) const { return time == first || time == last; }
    // May it be shorter without one of several records? Not where all have the same time.
    bool needs(Micros time) const { return first != last && ends_at(time); }
  };
  struct Times {
    Micros at;
    Micros recorded_at;
    Micros retired_at;  // kForever: still believed
  };
  // Of the live records of a word.
  struct Group {
    Range at;
    Range recorded_at;
    Range retired_at;  // of those that are retired

    void take(const Times& times) {
      at.take(times.at);
      recorded_at.take(times.recorded_at);
      if (times.retired_at != kForever) retired_at.take(times.retired_at);
    }
  };

  static constexpr size_t kSlots = 64;       // of a group
  static constexpr size_t kLookedAt = 512;   // slots without bounds

  // Amortised O(1). If that throws, nothing has changed.
  void add(Slot slot, const Times& times) {
    if (slot < kLookedAt) return;
    const size_t at = slot / kSlots - kFirst;
    if (!groups_) groups_ = std::make_unique<Groups>();
    if (at >= groups_->size()) groups_->resize(at + 1);
    (*groups_)[at].take(times);
  }

  // Of a record with these times; times_of(slot) are those of another one. O(1), or O(kSlots) if it was a first or last one.
  template <typename TimesOf>
  void remove(Slot slot, const Times& times, const Bitset& live, TimesOf times_of) noexcept {
    if (slot < kLookedAt) return;
    Group& group = (*groups_)[slot / kSlots - kFirst];
    if ((live.word(slot / kSlots) & ~(uint64_t{1} << slot % kSlots)) == 0) {
      group = {};
      return;
    }
    const bool bounds = group.at.needs(times.at) || group.recorded_at.needs(times.recorded_at) ||
                        (times.retired_at != kForever && group.retired_at.ends_at(times.retired_at));
    if (!bounds) return;
    group = {};
    const auto first = static_cast<Slot>(slot - slot % kSlots);
    for (uint64_t word = live.word(slot / kSlots); word != 0; word &= word - 1) {
      const auto other = static_cast<Slot>(first + static_cast<Slot>(std::countr_zero(word)));
      if (other != slot) group.take(times_of(other));
    }
  }

  void clear() { groups_.reset(); }

  // nullptr: not known, look at the records.
  const Group* find(size_t word) const {
    return word < kFirst || !groups_ || word - kFirst >= groups_->size() ? nullptr : &(*groups_)[word - kFirst];
  }

  size_t bytes() const { return groups_ ? sizeof(Groups) + groups_->bytes() : 0; }

 private:
  static constexpr size_t kFirst = kLookedAt / kSlots;

  using Groups = ChunkedVector<Group, 64>;
  std::unique_ptr<Groups> groups_;  // null: every slot is one of the first
};

}  // namespace memspan
