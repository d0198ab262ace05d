// The filters by the times of a record: when it was believed, when it was true, and, if asked for, when it happened. For
// one record, or for 64 at once where their bounds tell (attributes/time_bounds.hpp).
//
// Valid while the user's lock is held and the prepared query lives. Thread safety: const members may run in parallel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "query/column_filters.hpp"
#include "timeline/intervals.hpp"

namespace memspan {

class TimeFilter {
 public:
  TimeFilter(const UserColumns& user, const PreparedQuery& prepared)
      : user_(user),
        columns_(user, prepared),
        as_of_(prepared.query->as_of),
        valid_at_(prepared.query->valid_at),
        hides_retired_(user.standing.retired_count() > 0 && !as_of_ && !valid_at_),
        now_(user.standing.expiring_count() > 0 ? wall_clock() : 0),
        hides_expired_(user.standing.any_expired(now_)) {}

  // Could a record be refused?
  bool any() const { return as_of_ || valid_at_ || hides_retired_ || hides_expired_; }

  bool admits(Slot slot) const {
    return !(hides_retired_ && user_.standing.retired(slot)) &&
           !(hides_expired_ && user_.attributes.states().expires_at(slot) <= now_) &&
           !(as_of_ && !columns_.believed_at(slot, *as_of_)) && !(valid_at_ && !columns_.valid_at(slot, *valid_at_));
  }

  // Leaves in a set of live records those that are admitted and, if there are any intervals, happened in one.
  // O(slots / 64 + expired), and O(64) for each word that a moment or an end of an interval divides.
  void keep(std::span<const Interval> intervals, Bitset& set) const {
    if (hides_expired_) user_.standing.for_each_expired(now_, [&](Slot slot) { set.reset(slot); });
    if (!as_of_ && !valid_at_ && !hides_retired_ && intervals.empty()) return;
    set.keep_words([&](size_t i, uint64_t word) {
      const uint64_t retired = word & user_.standing.retired_word(i);
      if (hides_retired_) word &= ~retired;
      const TimeBounds::Group* const group = user_.bounds.find(i);
      if (!intervals.empty()) word = keep_inside(intervals, i, word, group);
      if (as_of_) word = keep_believed(i, word, retired, group);
      if (valid_at_) word = keep_valid(i, word, retired, group);
      return word;
    });
  }

 private:
  template <typename Keep>
  static uint64_t keep_each(size_t i, uint64_t word, uint64_t asked, Keep keep) {
    for (uint64_t left = word & asked; left != 0; left &= left - 1) {
      const int bit = std::countr_zero(left);
      if (!keep(static_cast<Slot>(i * TimeBounds::kSlots + static_cast<size_t>(bit)))) word &= ~(uint64_t{1} << bit);
    }
    return word;
  }

  uint64_t keep_inside(std::span<const Interval> intervals, size_t i, uint64_t word,
                       const TimeBounds::Group* group) const {
    if (group != nullptr) {
      const auto [first, last] = group->at;
      const auto after = std::partition_point(intervals.begin(), intervals.end(),
                                              [first = first](const Interval& one) { return one.end <= first; });
      if (after == intervals.end() || last < after->start) return 0;
      if (after->start <= first && last < after->end) return word;
    }
    return keep_each(i, word, word, [&](Slot slot) { return find_interval(intervals, user_.ats[slot]) != nullptr; });
  }

  uint64_t keep_believed(size_t i, uint64_t word, uint64_t retired, const TimeBounds::Group* group) const {
    const Micros time = *as_of_;
    if (group == nullptr) return keep_each(i, word, word, [&](Slot slot) { return columns_.believed_at(slot, time); });
    if (group->recorded_at.first > time) return 0;
    if (group->recorded_at.last > time) {
      word = keep_each(i, word, word, [&](Slot slot) { return user_.attributes.recorded_at(slot) <= time; });
    }
    if (retired == 0 || group->retired_at.first > time) return word;
    if (group->retired_at.last <= time) return word & ~retired;
    return keep_each(i, word, retired, [&](Slot slot) { return user_.attributes.states().retired_at(slot) > time; });
  }

  uint64_t keep_valid(size_t i, uint64_t word, uint64_t retired, const TimeBounds::Group* group) const {
    const Micros time = *valid_at_;
    if (group == nullptr || user_.attributes.may_end_near(static_cast<Slot>(i * TimeBounds::kSlots))) {
      return keep_each(i, word, word, [&](Slot slot) { return columns_.valid_at(slot, time); });
    }
    if (group->at.first > time) return 0;
    if (group->at.last > time) word = keep_each(i, word, word, [&](Slot slot) { return user_.ats[slot] <= time; });
    // What was retired later may have had another end then.
    return as_of_ ? keep_each(i, word, retired, [&](Slot slot) { return columns_.valid_at(slot, time); }) : word;
  }

  const UserColumns& user_;
  const ColumnFilters columns_;
  std::optional<Micros> as_of_;
  std::optional<Micros> valid_at_;
  bool hides_retired_;
  Micros now_;
  bool hides_expired_;
};

}  // namespace memspan
