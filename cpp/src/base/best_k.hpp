// Selection of the best k of many candidates, ties included, in memory that the caller keeps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/top_k.hpp"

namespace memspan {

// A small k is kept in a heap. A greater one is collected up to twice k, and then the worse half dropped: O(1)
// amortised for a candidate, where a heap of a hundred needs seven steps. O(k log k) at the end.
class BestK {
 public:
  // Clears `best`, which must outlive the selection. Requires k > 0.
  BestK(size_t k, Recency recency, std::vector<Candidate>& best)
      : k_(k), heap_(k <= kMostInHeap), limit_(heap_ ? k : 2 * k), better_(recency), best_(best) {
    best_.clear();
  }

  // No candidate with a score below this one can enter.
  float threshold() const { return threshold_; }

  void offer(float score, Slot slot) {
    if (score < threshold_) return;
    const Candidate candidate{score, slot};
    if (best_.size() < limit_) {
      best_.push_back(candidate);
      if (best_.size() == limit_) heap_ ? make_heap() : keep_best();
    } else if (better_(candidate, best_.front())) {
      std::pop_heap(best_.begin(), best_.end(), better_);
      best_.back() = candidate;
      std::push_heap(best_.begin(), best_.end(), better_);
      threshold_ = best_.front().score;
    }
  }

  // Leaves the best k, best first, in the caller's memory.
  void finish() {
    if (best_.size() > k_) keep_best();
    std::sort(best_.begin(), best_.end(), better_);
  }

 private:
  static constexpr size_t kMostInHeap = 24;

  void make_heap() {
    std::make_heap(best_.begin(), best_.end(), better_);
    threshold_ = best_.front().score;
  }
  // Requires more than k > 0 of them.
  void keep_best() {
    const auto worst = best_.begin() + static_cast<std::ptrdiff_t>(k_) - 1;
    std::nth_element(best_.begin(), worst, best_.end(), better_);
    threshold_ = worst->score;
    best_.resize(k_);
  }

  size_t k_;
  bool heap_;     // best_, once it is full, with the worst on top
  size_t limit_;  // of best_
  BetterCandidate better_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  std::vector<Candidate>& best_;
};

}  // namespace memspan
