#include <limits>

#include "vectors/cluster_layout.hpp"

namespace memspan {

float ProbeReach::at(size_t k, float recall) const {
  // Between the depths that were tried, the larger one is the careful choice.
  const size_t depth = k <= kDepths[0] ? 0 : 1;
  for (size_t r = 0; r < kRecalls.size(); ++r) {
    if (recall <= kRecalls[r]) return reach_[depth][r];
  }
  return std::numeric_limits<float>::infinity();
}

}  // namespace memspan
