#include "timeline/timeline.hpp"

namespace memspan {
namespace {

// Ascending order of the entries: the reverse of Recency.
class Earlier {
 public:
  explicit Earlier(const Recency& recency) : recency_(recency) {}
  bool operator()(const Timeline::Entry& a, const Timeline::Entry& b) const {
    if (a.at != b.at) return a.at < b.at;
    return recency_(b.slot, a.slot);
  }

 private:
  const Recency& recency_;
};

}  // namespace

void Timeline::insert(Slot slot, const Recency& recency) {
  entries_.insert({recency.at(slot), slot}, Earlier(recency));
}

void Timeline::erase(Slot slot, const Recency& recency) { entries_.erase({recency.at(slot), slot}, Earlier(recency)); }

Timeline::Range Timeline::within(const Interval& interval) const {
  const auto first = first_at(interval.start);
  if (interval.end <= interval.start) return {first, first};
  return {first, first_at(interval.end)};
}

void Timeline::remap(std::span<const Slot> new_slots) {
  entries_.rewrite([&](Entry& entry) { entry.slot = new_slots[entry.slot]; });
}

}  // namespace memspan
