// Selection of the best k of many candidates, ties included.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/candidate.hpp"
#include "base/sort_best.hpp"

namespace memspan {

// A small k is kept in a heap. A greater one is collected up to twice k, and then the worse half dropped: O(1)
// amortised for a candidate, where a heap of a hundred needs seven steps. O(k log k) at the end.
class TopK {
 public:
  // Selects into `storage`, whose memory is used again; its contents mean nothing until sort(). Requires k > 0.
  TopK(size_t k, Recency recency, std::vector<Candidate>& storage)
      : k_(k), heap_(k <= kMostInHeap), limit_(heap_ ? k : 2 * k), better_(recency), best_(storage) {
    best_.clear();
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
    sort_best(best_, k_, better_);
    threshold_ = -std::numeric_limits<float>::infinity();
    kth_ = kNoSlot;
  }
  // Best first; leaves the selection empty.
  std::vector<Candidate> take() {
    sort();
    std::vector<Candidate> best = std::move(best_);
    best_.clear();
    return best;
  }

 private:
  static constexpr size_t kMostInHeap = 24;

  void insert(Candidate candidate) {
    if (best_.size() < limit_) {
      if (candidate.score == threshold_ && kth_ != kNoSlot && !better_(candidate, {threshold_, kth_})) return;
      best_.push_back(candidate);
      if (best_.size() == limit_) heap_ ? make_heap() : keep_best();
    } else if (better_(candidate, best_.front())) {
      replace_worst(candidate);
      threshold_ = best_.front().score;
    }
  }

  void make_heap() {
    std::make_heap(best_.begin(), best_.end(), better_);
    threshold_ = best_.front().score;
  }

  // Of a heap: one way down instead of a removal and an insertion.
  void replace_worst(Candidate candidate) {
    const size_t size = best_.size();
    size_t hole = 0;
    for (size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && better_(best_[child], best_[child + 1])) ++child;  // the worse one goes up
      if (!better_(candidate, best_[child])) break;
      best_[hole] = best_[child];
      hole = child;
    }
    best_[hole] = candidate;
  }

  void keep_best() {
    const Candidate kth = memspan::keep_best(best_, k_, better_);
    threshold_ = kth.score;
    kth_ = kth.slot;
  }

  std::vector<Candidate> own_;
  size_t k_;
  bool heap_;     // best_, once it is full, has the worst on top
  size_t limit_;  // of best_
  BetterCandidate better_;
  float threshold_ = -std::numeric_limits<float>::infinity();
  Slot kth_ = kNoSlot;  // of those collected, where many have the score of the k-th: which it was when they were thinned out
  std::vector<Candidate>& best_;
};

}  // namespace memspan
