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
  // Selects into `storage`, whose memory is used again; its contents mean nothing until sort().
  TopK(size_t k, Recency recency, std::vector<Candidate>& storage) : k_(k), better_(recency), heap_(storage) {
    heap_.clear();
  }
  // Selects into memory of its own.
  TopK(size_t k, Recency recency) : TopK(k, recency, own_) {}
  TopK(const TopK&) = delete;
  TopK& operator=(const TopK&) = delete;

  // No candidate with a score below this one can enter. Kept in a register by the scans.
  float threshold() const { return threshold_; }

  void offer(float score, Slot slot) {
    if (score >= threshold_) insert({score, slot});
  }

  // Leaves the selection in the storage, best first.
  void sort() {
    std::sort_heap(heap_.begin(), heap_.end(), better_);
    threshold_ = -std::numeric_limits<float>::infinity();
  }
  // Best first; leaves the selection empty.
  std::vector<Candidate> take() {
    sort();
    std::vector<Candidate> best = std::move(heap_);
    heap_.clear();
    return best;
  }

 private:
  void insert(Candidate candidate) {
    if (heap_.size() < k_) {
      heap_.push_back(candidate);
      std::push_heap(heap_.begin(), heap_.end(), better_);
    } else if (!heap_.empty() && better_(candidate, heap_.front())) {
      replace_worst(candidate);
    } else {
      return;
    }
    if (heap_.size() == k_) threshold_ = heap_.front().score;
  }

  // One way down instead of a removal and an insertion.
  void replace_worst(Candidate candidate) {
    const size_t size = heap_.size();
    size_t hole = 0;
    for (size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && better_(heap_[child], heap_[child + 1])) ++child;  // the worse one goes up
      if (!better_(candidate, heap_[child])) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

  std::vector<Candidate> own_;
  size_t k_;
  BetterCandidate better_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  std::vector<Candidate>& heap_;  // the worst of the best on top
};

}  // namespace memspan
