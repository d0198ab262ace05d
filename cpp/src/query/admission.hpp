// Which records a query's filters let through. Filters work before any top-k, so that k records come back whenever k
// admissible ones exist.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bitset.hpp"
#include "base/slot_test.hpp"
#include "base/strata.hpp"
#include "index/user_columns.hpp"
#include "query/prepared_query.hpp"
#include "query/where_verdicts.hpp"
#include "timeline/intervals.hpp"

namespace memspan {

class ColumnFilters;
class TimeFilter;

// The set is kept in the form in which it was found, and turned into another one when a view asks for that:
//   all    every live record. Dead slots need no test: they are in no list, vector block, session or timeline.
//   spans  what the timeline holds between the ends of the query's intervals
//   slots  a list
//   bits   a bit for each slot; of records within the query's intervals, if it began as spans
// A set of many records is left open where a good part of them, by a sample, is what `where` asks for: then a record is asked
// when a view comes upon it, since to ask all takes longer than most searches. What needs the whole set settles it.
//
// Valid while the user's lock is held and the prepared query lives. Reusing an object reuses its memory.
// Thread safety: even const members may build a form, so an object belongs to one thread.
class Admission {
 public:
  enum class Form : uint8_t { all, spans, slots, bits };

  // Applies the filters of the query. O(log n) for each interval, O(records of the tags) for required tags, O(slots / 64)
  // for kinds and for times where records came about in their order (TimeFilter), O(records left) for each other filter,
  // but O(different metadata) for a `where` that stays open.
  void admit(const UserColumns& user, const PreparedQuery& prepared);
  void admit_all(const UserColumns& user);
  // Those of `others` at these times, which must stay where they are. False, and no set, if the times hold every record.
  // O(log n) for each interval, and O(records of them) unless the others are all.
  bool admit_within(const UserColumns& user, std::span<const Interval> intervals, const Admission& others);

  Form form() const { return form_; }
  bool all() const { return form_ == Form::all && !open_; }
  bool open() const { return open_; }
  // Of an open set an estimate.
  size_t count() const { return count_; }
  // Settles.
  size_t exact_count() const {
    settle();
    return count_;
  }
  // Asks all records of an open set: O(records).
  void settle() const {
    if (open_) keep_matching();
  }
  // Every record of the set lies in one of these, if there are any.
  std::span<const Interval> intervals() const { return intervals_; }

  // Only slots of live records may be asked for. O(1); O(log intervals) for spans.
  bool admits(Slot slot) const {
    bool admitted = false;
    visit([&](auto admits_slot) { admitted = admits_slot(slot); });
    return admitted;
  }

  // Calls f with the cheapest test for single slots, a function object bool(Slot); for many tests in a row.
  template <typename F>
  void visit(F&& f) const {
    const auto& ats = user_->ats;
    if (open_) {
      f([this](Slot slot) { return in_form(slot) && verdicts_.admits(slot); });
    } else if (form_ == Form::all) {
      f([](Slot) { return true; });
    } else if (form_ == Form::spans && intervals_.size() == 1) {
      f([&ats, only = intervals_.front()](Slot slot) { return only.start <= ats[slot] && ats[slot] < only.end; });
    } else if (form_ == Form::spans) {
      f([&ats, this](Slot slot) { return find_interval(intervals_, ats[slot]) != nullptr; });
    } else {
      f([&bits = bits()](Slot slot) { return bits.test(slot); });
    }
  }

  // For a search that finds rows by their times: what else they must be in, if anything, and what is to be asked besides.
  const Bitset* mask() const {
    if (form_ == Form::all || form_ == Form::spans) return nullptr;
    return open_ ? &bits_ : &bits();
  }
  SlotTest open_test() const {
    if (!open_) return {};
    return {[](const void* self, Slot slot) { return static_cast<const Admission*>(self)->verdicts_.admits(slot); }, this};
  }

  // The set as bits; settles. O(slots / 64 + count) the first time, unless it has that form.
  const Bitset& bits() const;
  // The set as a list: ascending, or, of spans, in the order of time; settles. O(count) the first time, unless it has that form.
  std::span<const Slot> slots() const;

  // Calls f for one of each `step` records of the set: by slot, or, of spans, by time. O(records so far apart, and slots / 64
  // of bits or the pieces of spans).
  template <typename F>
  void for_every(size_t step, F&& f) const {
    if (open_) {
      for_every_in_form(step, Strata::Distances::uneven, [&](Slot slot) {
        if (verdicts_.admits(slot)) f(slot);
      });
    } else {
      for_every_in_form(step, Strata::Distances::even, f);
    }
  }

  // Calls f for those of the set among one of each `step` of all records by time, which saving and loading do not change as
  // they do slots. O(records / step, and the pieces of the timeline).
  template <typename F>
  void for_every_by_time(size_t step, F&& f) const {
    visit([&](auto admits_slot) {
      walk(step, all() ? Strata::Distances::even : Strata::Distances::uneven, [&](Slot slot) {
        if (admits_slot(slot)) f(slot);
      });
    });
  }
  // Are so few of all records in the set that those that lie so far apart in time are seldom of it?
  bool rare() const {
    constexpr size_t kRare = 16;
    return count_ * kRare < user_->timeline.size();
  }

  // The newest `limit` of the set, newest first; settles. O(limit) for all and spans; otherwise
  // O(limit n / count) or O(count), whichever is less.
  void newest(size_t limit, std::vector<Slot>& out) const;

  size_t bytes() const;

 private:
  // The form alone, whatever is open.
  bool in_form(Slot slot) const {
    if (form_ == Form::spans) return find_interval(intervals_, user_->ats[slot]) != nullptr;
    return form_ == Form::all || bits_.test(slot);  // an open set is no list
  }
  template <typename F>
  void for_every_in_form(size_t step, Strata::Distances distances, F&& f) const {
    if (has_slots_) {
      for (size_t i = 0; i < slots_.size(); i += step) f(slots_[i]);
    } else if (form_ == Form::all) {
      user_->live.for_every(step, f);
    } else if (form_ == Form::spans) {
      Strata strata(step, distances);
      for (const Timeline::Range& range : spans_) walk(range.begin(), range.end(), strata, f);
    } else {
      bits_.for_every(step, f);
    }
  }
  template <typename F>
  static void walk(Timeline::Entries::Iterator first, Timeline::Entries::Iterator last, Strata& strata, F& f) {
    Timeline::Entries::for_each_piece(first, last, [&](std::span<const Timeline::Entry> piece) {
      strata.pass(piece.size(), [&](size_t i) { f(piece[i].slot()); });
    });
  }
  template <typename F>
  void walk(size_t step, Strata::Distances distances, F f) const {
    const Timeline::Entries& entries = user_->timeline.entries();
    Strata strata(step, distances);
    walk(entries.begin(), entries.end(), strata, f);
  }
  void clear(const UserColumns& user);
  void start_from_tags(const PreparedQuery& prepared);
  void start_from_intervals(std::span<const Interval> intervals);
  void keep_by_times(const TimeFilter& times);
  void keep_by_kinds(const ColumnFilters& filters, const TimeFilter& times);
  void keep_by_where(const Where& where);
  bool leave_open();
  void keep_matching() const;
  template <typename Keep>
  void keep_if(Keep keep) const;
  void exclude(std::span<const std::string> ids);

  const UserColumns* user_ = nullptr;
  mutable std::span<const Interval> intervals_;  // of spans, and of bits that were spans
  mutable size_t count_ = 0;
  mutable Form form_ = Form::all;
  mutable bool open_ = false;  // of what it is, `where` is still to be asked
  mutable bool has_bits_ = false;
  mutable bool has_slots_ = false;
  mutable Bitset bits_;
  mutable std::vector<Slot> slots_;
  std::vector<Timeline::Range> spans_;
  std::vector<Slot> excluded_;
  mutable WhereVerdicts verdicts_;
};

}  // namespace memspan
