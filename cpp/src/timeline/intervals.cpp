#include "timeline/intervals.hpp"

#include <algorithm>

namespace memspan {

void merge_intervals(std::span<const Interval> intervals, std::vector<Interval>& merged) {
  merged.clear();
  for (const Interval& interval : intervals) {
    if (interval.start < interval.end) merged.push_back(interval);
  }
  std::sort(merged.begin(), merged.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });

  size_t kept = 0;
  for (const Interval& interval : merged) {
    if (kept > 0 && interval.start <= merged[kept - 1].end) {
      merged[kept - 1].end = std::max(merged[kept - 1].end, interval.end);
    } else {
      merged[kept++] = interval;
    }
  }
  merged.resize(kept);
}

std::vector<Interval> merge_intervals(std::span<const Interval> intervals) {
  std::vector<Interval> merged;
  merge_intervals(intervals, merged);
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
