#include "vectors/probe_reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memspan {

float ProbeReach::at(size_t k, float recall) const {
  const auto column = static_cast<size_t>(std::lower_bound(kRecalls.begin(), kRecalls.end(), recall) - kRecalls.begin());
  if (column == kRecalls.size()) return std::numeric_limits<float>::infinity();
  size_t after = 0;
  while (after < kDepths.size() && kDepths[after] < k) ++after;
  if (after == 0) return reach_.front()[column];
  if (after == kDepths.size()) return reach_.back()[column];
  const auto log = [](size_t depth) { return std::log2(static_cast<float>(depth)); };
  const float way = (log(k) - log(kDepths[after - 1])) / (log(kDepths[after]) - log(kDepths[after - 1]));
  return std::lerp(reach_[after - 1][column], reach_[after][column], way);
}

}  // namespace memspan
