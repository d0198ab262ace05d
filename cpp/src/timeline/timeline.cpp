#include "timeline/timeline.hpp"

#include <algorithm>
#include <vector>

namespace memspan {
namespace {

// Ascending order of the entries: the reverse of Recency.
class Earlier {
 public:
  explicit Earlier(const Recency& recency) : recency_(recency) {}
  bool operator()(const Timeline::Entry& a, const Timeline::Entry& b) const {
    if (a.at() != b.at()) return a.at() < b.at();
    return recency_(b.slot(), a.slot());
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
  const auto before = [](Micros time) { return [time](const Entry& entry) { return entry.at() < time; }; };
  const auto [first, last] = entries_.partition_points(before(interval.start), before(std::max(interval.start, interval.end)));
  return {first, last};
}

void Timeline::save(ByteWriter& out, std::span<const Slot> new_slots) const {
  auto entry = entries_.begin();
  out.put_each<Slot>(entries_.size(), [&](size_t) { return new_slots[(entry++)->slot()]; });
}

void Timeline::load(ByteReader& in, size_t count, const Recency& recency) {
  const auto slots = in.view_each<Slot>(count);
  size_t i = 0;
  // As many slots, each in range and behind the one before, are all of them.
  bool sound = true;
  entries_.fill(count, [&](std::span<Entry> entries) {
    for (Entry& entry : entries) {
      const Slot slot = slots[i];
      in.check(slot < count, "the timeline names an unknown record");
      entry = Entry(recency.at(slot), slot);
      sound = sound && (i == 0 || recency(slot, slots[i - 1]));
      ++i;
    }
  });
  in.check(sound, "the timeline is not in order");
}

}  // namespace memspan
