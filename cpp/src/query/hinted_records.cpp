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
  any_ = within_.count() > 0 && within_.count() < admission.count();
  if (!any_) return;
  const size_t most = std::max(kLeast, size_t{prepared.query->k});
  if (prepared.has(View::semantic)) {
    search_semantic(user, prepared, within_, most, found_);
  } else {
    within_.newest(most, newest_);
    for (const Slot slot : newest_) found_.push_back({0.0f, slot});
  }
  const size_t step = std::max<size_t>(1, within_.count() / kApart);
  within_.for_every(step, [&](Slot slot) { found_.push_back({0.0f, slot}); });
}

size_t HintedRecords::bytes() const {
  return within_.bytes() + intervals_.capacity() * sizeof(Interval) + newest_.capacity() * sizeof(Slot) +
         found_.capacity() * sizeof(Candidate);
}

}  // namespace memspan
