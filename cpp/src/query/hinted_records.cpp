#include "query/hinted_records.hpp"

#include <algorithm>

#include "query/views.hpp"

namespace memspan {

void HintedRecords::find(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission) {
  clear();
  const std::vector<Interval>& hints = prepared.query->ranking->hints;
  if (hints.empty()) return;
  merge_intervals(hints, intervals_);
  if (!within_.admit_within(user, intervals_, admission)) return;
  if (within_.count() == 0 || within_.count() == admission.exact_count()) return;
  const size_t most = std::max(kLeast, size_t{prepared.query->k});
  if (prepared.has(View::semantic)) {
    search_semantic(user, prepared, within_, most, nearest_);
    for (const Candidate& each : nearest_) slots_.push_back(each.slot);
  } else {
    within_.newest(most, slots_);
  }
  const size_t step = std::max<size_t>(1, within_.count() / kApart);
  within_.for_every(step, [&](Slot slot) { slots_.push_back(slot); });
}

size_t HintedRecords::bytes() const {
  return within_.bytes() + intervals_.capacity() * sizeof(Interval) + slots_.capacity() * sizeof(Slot) +
         nearest_.capacity() * sizeof(Candidate);
}

}  // namespace memspan
