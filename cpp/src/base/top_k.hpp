// Selection of the best k candidates, ties included, in O(n log k).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan {

struct Candidate {
  float score = 0.0f;
  Slot slot = kNoSlot;
};

// Higher score first, then newer, then by id: a total order over the records of a user.
class BetterCandidate {
 public:
  explicit BetterCandidate(Recency recency) : recency_(recency) {}
  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.score != b.score) return a.score > b.score;
    return recency_(a.slot, b.slot);
  }

 private:
  Recency recency_;
};

class TopK {
 public:
  TopK(size_t k, Recency recency) : k_(k), better_(recency) {}

  // No candidate with a score below this one can enter. Kept in a register by the scans.
  float threshold() const { return threshold_; }

  void offer(float score, Slot slot) {
    if (score < threshold_) return;
    const Candidate candidate{score, slot};
    if (heap_.size() < k_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), better_);
    } else if (!heap_.empty() && better_(candidate, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better_);
      heap_.back() = candidate;
      std::push_heap(heap_.begin(), heap_.end(), better_);
    } else {
      return;
    }
    if (heap_.size() == k_) threshold_ = heap_.front().score;
  }

  // Best first; leaves the selection empty.
  std::vector<Candidate> take() {
    std::sort_heap(heap_.begin(), heap_.end(), better_);
    threshold_ = -std::numeric_limits<float>::infinity();
    return std::move(heap_);
  }

 private:
  size_t k_;
  BetterCandidate better_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  std::vector<Candidate> heap_;  // the worst of the best on top
};

}  // namespace memspan
