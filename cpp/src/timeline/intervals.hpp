// Sets of time intervals (SwiftMem 3.3: several intervals are merged before the timeline is searched).
#pragma once

#include <span>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

// The smallest list of disjoint, non-touching, non-empty intervals that covers the same times, in ascending order.
// O(n log n). With `merged`, its memory is used again.
void merge_intervals(std::span<const Interval> intervals, std::vector<Interval>& merged);
std::vector<Interval> merge_intervals(std::span<const Interval> intervals);

// The merged interval that holds `at`, or nullptr. O(log n).
const Interval* find_interval(std::span<const Interval> merged, Micros at);

}  // namespace memspan
