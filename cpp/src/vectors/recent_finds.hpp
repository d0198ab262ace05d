// Whether the blocks that a search read last brought any of its best: then others may hold more of them.
//
// O(k) each time that the number of blocks has doubled. Reused between searches, it allocates nothing once it has grown.
// Not thread-safe.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "vectors/near_best.hpp"

namespace memspan {

class RecentFinds {
 public:
  void reset() {
    next_ = kFirst;
    older_.clear();
    newer_.clear();
  }

  // So many blocks have been read; to be told after each.
  void note(size_t blocks, NearBest& near) {
    if (blocks < next_) return;
    next_ = 2 * blocks;
    std::swap(older_, newer_);
    near.prune();
    newer_.clear();
    for (const Candidate& candidate : near.items()) {
      if (candidate.score >= near.kth()) newer_.push_back(candidate.score);
    }
  }

  // How many of the best came with the last half of the blocks, or with up to the last three quarters of them.
  size_t count(NearBest& near) const {
    near.prune();
    const auto among_best = [kth = near.kth()](float score) { return score >= kth; };
    const auto now = std::ranges::count_if(near.items(), among_best, &Candidate::score);
    return static_cast<size_t>(now - std::ranges::count_if(older_, among_best));
  }

 private:
  static constexpr size_t kFirst = 3;

  size_t next_ = kFirst;
  std::vector<float> older_;  // the best scores when half or less of the blocks had been read
  std::vector<float> newer_;
};

}  // namespace memspan
