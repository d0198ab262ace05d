#include "timeline/intervals.hpp"

#include <algorithm>

namespace memspan {

std::vector<Interval> merge_intervals(std::span<const Interval> intervals) {
  std::vector<Interval> sorted;
  sorted.reserve(intervals.size());
  for (const Interval& interval : intervals) {
    if (interval.start < interval.end) sorted.push_back(interval);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });

  std::vector<Interval> merged;
  for (const Interval& interval : sorted) {
    if (!merged.empty() && interval.start <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, interval.end);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

const Interval* find_interval(std::span<const Interval> merged, Micros at) {
  const auto after = std::upper_bound(merged.begin(), merged.end(), at,
                                      [](Micros time, const Interval& interval) { return time < interval.start; });
  if (after == merged.begin()) return nullptr;
  const Interval& candidate = *(after - 1);
  return at < candidate.end ? &candidate : nullptr;
}

}  // namespace memspan
