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

#include "base/kth_score.hpp"
#include "simd/kernels.hpp"

namespace memspan {

class NearBest {
 public:
  static constexpr size_t kFirst = 64;

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
  bool empty() const { return items_.empty(); }

  void offer(float score, Slot slot) {
    if (score < threshold_) return;
    items_.push_back({score, slot});
    if (few_ && score > kth_) insert(score);
    if (items_.size() >= limit_) prune();
  }

  // Offers the first rows, at most kFirst, at once: as offering each does, but without a branch for each that no processor
  // can foresee. Only while there are no others. O(count^2), a register of comparisons at a time.
  void offer_first(const float* scores, const Slot* slots, size_t count) {
    if (!few_ || count < k_) {
      for (size_t i = 0; i < count; ++i) offer(scores[i], slots[i]);
      return;
    }
    std::array<uint32_t, kFirst> places;
    kernels().count_above(scores, count, places.data());
    best_.fill(kNone);
    for (size_t i = 0; i < count; ++i) best_[std::min<size_t>(places[i], kFew)] = scores[i];
    // Equal scores claim the same place, and leave those behind it empty.
    for (size_t place = 1; place < k_; ++place) best_[place] = best_[place] == kNone ? best_[place - 1] : best_[place];
    ranked_ = k_;
    raise(best_[k_ - 1]);
    const size_t near = kernels().select_above(scores, count, threshold_, places.data());
    for (size_t i = 0; i < near; ++i) items_.push_back({scores[places[i]], slots[places[i]]});
  }

  // Nothing below `score` matters, as is known from elsewhere.
  void rule_out_below(float score) {
    threshold_ = std::max(threshold_, score);
    prune();
  }

  // Makes kth() and threshold() exact. O(size), of few O(1).
  void settle() {
    if (!few_) prune();
  }

  // Settles, and drops what cannot matter any more. O(size).
  void prune() {
    if (items_.size() < k_ || k_ == 0) return;
    if (!few_) raise(kth_score(items_, k_));
    keep_at_least(items_, threshold_);
    limit_ = std::max(2 * k_ + kSlack, 2 * items_.size());
  }

  std::span<const Candidate> items() const { return items_; }

 private:
  static constexpr size_t kSlack = 64;
  static constexpr size_t kFew = 16;
  static constexpr float kNone = -std::numeric_limits<float>::infinity();

  void raise(float kth) {
    kth_ = kth;
    threshold_ = std::max(threshold_, kth - margin_);
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
  std::array<float, kFew + 1> best_;  // the best scores so far, in their order, if few are wanted; one more to be ignored
  std::vector<Candidate> items_;
};

}  // namespace memspan
