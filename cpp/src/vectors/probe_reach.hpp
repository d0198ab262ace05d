// The reach of blocks and rows, by how many results are wanted at which recall.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace memspan {

// How far above what is expected of it a block or a row may reach, in some measure of its own: so far that a search found a
// given share of the true best k, on queries that the consolidation tried out. The fewer are wanted, the higher does the
// last of them score, and the further has a block to reach for it.
class ProbeReach {
 public:
  static constexpr std::array<float, 7> kRecalls = {0.8f, 0.9f, 0.95f, 0.98f, 0.99f, 0.995f, 0.999f};
  static constexpr std::array<size_t, 5> kDepths = {1, 3, 10, 30, 100};

  // For k results at `recall`: between two depths on the line through both by the logarithm of k, beyond the last one as
  // there. Infinity above the last of kRecalls.
  float at(size_t k, float recall) const;
  void set(size_t depth, size_t recall, float reach) { reach_[depth][recall] = reach; }
  void raise_to(size_t depth, size_t recall, float reach) { reach_[depth][recall] = std::max(reach_[depth][recall], reach); }
  const std::array<std::array<float, kRecalls.size()>, kDepths.size()>& table() const { return reach_; }

 private:
  std::array<std::array<float, kRecalls.size()>, kDepths.size()> reach_ = {};
};

// The lowest k-th best scores that were found for the queries that the consolidation tried out. A query whose own is lower
// is like none of them: what the reach says of others need not hold for it.
class TriedScores {
 public:
  TriedScores() { lowest_.fill(std::numeric_limits<float>::max()); }

  // For k results, as if the next depth were wanted: no higher than what is known of k. Requires k <= kDepths.back().
  float at(size_t k) const {
    size_t depth = 0;
    while (ProbeReach::kDepths[depth] < k) ++depth;
    return lowest_[depth];
  }
  void lower_to(size_t depth, float score) { lowest_[depth] = std::min(lowest_[depth], score); }
  const std::array<float, ProbeReach::kDepths.size()>& table() const { return lowest_; }

 private:
  std::array<float, ProbeReach::kDepths.size()> lowest_;
};

}  // namespace memspan
