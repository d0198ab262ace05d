// Term-at-a-time accumulation of scores over a user's slots, with memory that a thread keeps between queries.
#pragma once

#include <vector>

#include "base/top_k.hpp"
#include "memspan/types.hpp"

namespace memspan {

// At most one may live on a thread at a time. Invariant between uses: every kept score is zero.
class ScoreAccumulator {
 public:
  explicit ScoreAccumulator(size_t slots) : scores_(thread_scores()), touched_(thread_touched()) {
    if (scores_.size() < slots) scores_.resize(slots, 0.0f);
  }
  ~ScoreAccumulator() {
    for (Slot slot : touched_) scores_[slot] = 0.0f;
    touched_.clear();
  }
  ScoreAccumulator(const ScoreAccumulator&) = delete;
  ScoreAccumulator& operator=(const ScoreAccumulator&) = delete;

  // `score` must be positive.
  void add(Slot slot, float score) {
    if (scores_[slot] == 0.0f) touched_.push_back(slot);
    scores_[slot] += score;
  }

  template <typename Admits>
  void offer_all(TopK& best, Admits admits) const {
    for (Slot slot : touched_) {
      if (scores_[slot] >= best.threshold() && admits(slot)) best.offer(scores_[slot], slot);
    }
  }

 private:
  static std::vector<float>& thread_scores() {
    thread_local std::vector<float> scores;
    return scores;
  }
  static std::vector<Slot>& thread_touched() {
    thread_local std::vector<Slot> touched;
    return touched;
  }

  std::vector<float>& scores_;
  std::vector<Slot>& touched_;
};

}  // namespace memspan
