// Collects the rows whose approximate score is so near to that of the k-th best that their exact score may be among
// the best k.
//
// The buffer is pruned when it has doubled, so that an offer costs O(1) amortised. The best scores of few are kept sorted
// beside it, so that the threshold rises with each offer that is among them, at O(k) for such a one. Reused between
// searches, it allocates nothing once it has grown. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "base/top_k.hpp"

namespace memspan {

class NearBest {
 public:
  // `margin`: how far an approximate score may be off, twice.
  void reset(size_t k, float margin) {
    k_ = k;
    few_ = k > 0 && k <= kFew;
    margin_ = margin;
    kth_ = threshold_ = -std::numeric_limits<float>::infinity();
    limit_ = 2 * k + kSlack;
    ranked_ = 0;
    items_.clear();
  }

  // Scores below this one cannot matter any more.
  float threshold() const { return threshold_; }
  // A lower bound of the k-th best approximate score so far; after settle() it is that score.
  float kth() const { return kth_; }
  size_t size() const { return items_.size(); }

  void offer(float score, Slot slot) {
    if (score < threshold_) return;
    items_.push_back({score, slot});
    if (few_ && score > kth_) insert(score);
    if (items_.size() >= limit_) prune();
  }

  // Makes kth() and threshold() exact. O(size), of few O(1).
  void settle() {
    if (!few_) prune();
  }

  // Settles, and drops what cannot matter any more. O(size).
  void prune() {
    if (items_.size() < k_ || k_ == 0) return;
    if (!few_) {
      const auto better = [](const Candidate& a, const Candidate& b) { return a.score > b.score; };
      std::nth_element(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), items_.end(), better);
      raise(items_[k_ - 1].score);
    }
    const auto hopeless = [this](const Candidate& item) { return item.score < threshold_; };
    items_.erase(std::remove_if(items_.begin(), items_.end(), hopeless), items_.end());
    limit_ = std::max(2 * k_ + kSlack, 2 * items_.size());
  }

  std::span<const Candidate> items() const { return items_; }

 private:
  static constexpr size_t kSlack = 64;
  static constexpr size_t kFew = 16;

  void raise(float kth) {
    kth_ = kth;
    threshold_ = kth - margin_;
  }
  void insert(float score) {
    size_t place = ranked_ < k_ ? ranked_++ : k_ - 1;
    for (; place > 0 && best_[place - 1] < score; --place) best_[place] = best_[place - 1];
    best_[place] = score;
    if (ranked_ == k_) raise(best_[k_ - 1]);
  }

  size_t k_ = 0;
  bool few_ = false;  // are wanted
  float margin_ = 0.0f;
  float kth_ = 0.0f;
  float threshold_ = 0.0f;
  size_t limit_ = 0;
  size_t ranked_ = 0;
  std::array<float, kFew> best_;  // the best scores so far, in their order, if few are wanted
  std::vector<Candidate> items_;
};

}  // namespace memspan
