// Sorting of a few hundred candidates without branches that a processor cannot foresee.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/candidate.hpp"
#include "base/kth_score.hpp"
#include "simd/kernels.hpp"

namespace memspan {

// Up to so many candidates are sorted by counting. Measured over random scores, with AVX-512 (AVX2, the baseline): 100 of
// them in .3 us (.4, .9) against 2.4 of std::sort, 512 of them in 4 (8, 21) against 18.
inline constexpr size_t kMostCounted = 512;

// Each candidate's place is the number of those with a greater score: n * n comparisons, a register of them at a time.
// Those of one score, which claim one place, are put in order afterwards. Scores must be numbers.
inline void sort_by_counting(std::vector<Candidate>& candidates, const BetterCandidate& better) {
  const size_t count = candidates.size();
  std::array<float, kMostCounted> scores;
  std::array<uint32_t, kMostCounted> places;
  std::array<Slot, kMostCounted> sorted;
  for (size_t i = 0; i < count; ++i) {
    scores[i] = candidates[i].score;
    sorted[i] = kNoSlot;
  }
  kernels().count_above(scores.data(), count, places.data());
  bool ties = false;
  for (size_t i = 0; i < count; ++i) {
    for (; sorted[places[i]] != kNoSlot; ++places[i]) ties = true;
    sorted[places[i]] = candidates[i].slot;
  }
  for (size_t i = 0; i < count; ++i) candidates[places[i]] = {scores[i], sorted[places[i]]};
  if (!ties) return;
  for (auto first = candidates.begin(); first != candidates.end();) {
    const auto other_score = [score = first->score](const Candidate& candidate) { return candidate.score != score; };
    const auto last = std::find_if(first, candidates.end(), other_score);
    std::sort(first, last, better);
    first = last;
  }
}

// Keeps the best k > 0 of at least as many, in no order, and returns the last one; without its slot where no other one
// has its score. O(n).
inline Candidate keep_best(std::vector<Candidate>& candidates, size_t k, const BetterCandidate& better) {
  const float kth = kth_score(candidates, k);
  keep_at_least(candidates, kth);
  if (candidates.size() == k) return {kth, kNoSlot};
  const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates.begin(), last, candidates.end(), better);
  candidates.resize(k);
  return *last;
}

// Keeps the best k, best first. O(n + k log k).
inline void sort_best(std::vector<Candidate>& candidates, size_t k, const BetterCandidate& better) {
  constexpr size_t kWorthKeeping = 128;
  if (k > 0 && candidates.size() > k && candidates.size() > kWorthKeeping) keep_best(candidates, k, better);
  if (candidates.size() <= kMostCounted) {
    sort_by_counting(candidates, better);
    if (candidates.size() > k) candidates.resize(k);
  } else {
    std::sort(candidates.begin(), candidates.end(), better);
  }
}

}  // namespace memspan
