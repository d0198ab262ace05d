#include "query/listing.hpp"

#include <algorithm>

namespace memspan {
namespace {

constexpr size_t kFewRecords = 32;  // hits that are made before it is known how many there are

}  // namespace

void list_by_time(const UserColumns& user, const std::optional<std::span<const Interval>>& intervals, size_t k,
                  std::vector<Hit>& hits, const UseCounter& uses) {
  const Timeline::Entries& entries = user.timeline.entries();
  const size_t wanted = std::min(k, entries.size());
  size_t found = 0;
  const Standing& standing = user.standing;
  const bool hides = !standing.empty();
  const Micros now = standing.expiring_count() > 0 ? wall_clock() : 0;
  const auto hidden = [&](Slot slot) {
    return standing.retired(slot) || user.attributes.states().expires_at(slot) <= now;
  };
  const auto walk = [&](Timeline::Entries::Iterator end, Micros start) {
    while (found < wanted && end != entries.begin() && (--end)->at >= start) {
      if (hides && hidden(end->slot)) continue;
      if (found == hits.size()) hits.resize(std::min(wanted, std::max(kFewRecords, 2 * found)));
      Hit& hit = hits[found++];
      hit.id = user.ids[end->slot];
      hit.at = end->at;
      hit.score = 0.0f;
      uses.note(end->slot);
      hit.views = {};
      hit.views[static_cast<size_t>(View::symbolic)].rank = static_cast<uint32_t>(found);
    }
  };
  if (!intervals) {
    walk(entries.end(), kMinTime);
  } else {
    for (auto interval = intervals->rbegin(); interval != intervals->rend() && found < wanted; ++interval) {
      walk(user.timeline.first_at(interval->end), interval->start);
    }
  }
  hits.resize(found);
}

}  // namespace memspan
