// The records at the times that a question speaks of, for a learned ranking.
//
// "What happened in May?" says little besides the time, so that the views may find nothing of May among all the records
// that say as little. Those nearest to the question come into the pool whatever their rank is, and those that fill up to
// k come from these times first.
// Keeps its memory between searches; valid while the user's lock is held and the prepared query lives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "index/user_columns.hpp"
#include "query/admission.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

class HintedRecords {
 public:
  static constexpr size_t kLeast = 32;
  static constexpr size_t kApart = 16;

  // Of those that `admission` lets through: the k nearest to the question, kLeast at least, or the newest if it has no
  // embedding; and kApart to twice as many at even distances, so that no part of the times goes without. None if no time
  // is spoken of, or if all records are of it. Costs what a search does that is filtered by the times, and where other
  // filters work, O(records at the times).
  void find(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission);
  void clear() { slots_.clear(); }

  // Some may come twice.
  std::span<const Slot> slots() const { return slots_; }
  // All at the times, if some were found.
  const Admission& admission() const { return within_; }

  size_t bytes() const;

 private:
  std::vector<Interval> intervals_;
  Admission within_;
  std::vector<Candidate> nearest_;
  std::vector<Slot> slots_;
};

}  // namespace memspan
