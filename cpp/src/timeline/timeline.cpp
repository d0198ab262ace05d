#include "timeline/timeline.hpp"

#include <algorithm>
#include <cassert>

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
  const Entry entry{recency.at(slot), slot};
  const Earlier earlier(recency);
  if (entries_.empty() || earlier(entries_.back(), entry)) {
    entries_.push_back(entry);
  } else {
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), entry, earlier), entry);
  }
}

void Timeline::insert_many(std::span<const Slot> slots, const Recency& recency) {
  const auto old_size = static_cast<std::ptrdiff_t>(entries_.size());
  for (Slot slot : slots) entries_.push_back({recency.at(slot), slot});
  const Earlier earlier(recency);
  const auto middle = entries_.begin() + old_size;
  if (!std::is_sorted(middle, entries_.end(), earlier)) std::sort(middle, entries_.end(), earlier);
  std::inplace_merge(entries_.begin(), middle, entries_.end(), earlier);
}

void Timeline::erase(Slot slot, const Recency& recency) {
  const Entry entry{recency.at(slot), slot};
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), entry, Earlier(recency));
  assert(found != entries_.end() && found->slot == slot);
  entries_.erase(found);
}

std::pair<size_t, size_t> Timeline::span(const Interval& interval) const {
  const auto before = [](const Entry& entry, Micros time) { return entry.at < time; };
  const auto first = std::lower_bound(entries_.begin(), entries_.end(), interval.start, before);
  const auto last = std::lower_bound(first, entries_.end(), interval.end, before);
  return {static_cast<size_t>(first - entries_.begin()), static_cast<size_t>(last - entries_.begin())};
}

Timeline::Range Timeline::within(const Interval& interval) const {
  const auto [first, last] = span(interval);
  return Range(entries_).subspan(first, last - first);
}

void Timeline::remap(std::span<const Slot> new_slots) {
  for (Entry& entry : entries_) entry.slot = new_slots[entry.slot];
  entries_.shrink_to_fit();
}

}  // namespace memspan
