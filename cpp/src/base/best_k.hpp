// Selection of the best k of many candidates, ties included, in memory that the caller keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/top_k.hpp"

namespace memspan {

// Collects up to twice k and then drops the worse half: O(1) amortised for a candidate, where a heap of a hundred needs
// seven steps. O(k log k) at the end.
class BestK {
 public:
  // Clears `best`, which must outlive the selection.
  BestK(size_t k, Recency recency, std::vector<Candidate>& best)
      : k_(k), limit_(k + std::max<size_t>(k, 64)), better_(recency), best_(best) {
    best_.clear();
  }

  // No candidate with a score below this one can enter.
  float threshold() const { return threshold_; }

  void offer(float score, Slot slot) {
    if (score < threshold_) return;
    best_.push_back({score, slot});
    if (best_.size() == limit_) keep_best();
  }

  // Leaves the best k, best first, in the caller's memory.
  void finish() {
    if (best_.size() > k_) keep_best();
    std::sort(best_.begin(), best_.end(), better_);
  }

 private:
  // Requires more than k > 0 of them.
  void keep_best() {
    const auto worst = best_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(best_.begin(), worst, best_.end(), better_);
    threshold_ = worst->score;
    best_.resize(k_);
  }

  size_t k_;
  size_t limit_;
  BetterCandidate better_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  std::vector<Candidate>& best_;
};

}  // namespace memspan
