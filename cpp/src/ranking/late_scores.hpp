// How what tokens say (vectors/max_similarity.hpp) counts beside all else that a ranking sees in its best records.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "memspan/ranking.hpp"

namespace memspan {

// Of a record: its similarity, by how many standard deviations that stands out among those looked at, -ln(rank), and
// 4 / (rank + 3). Records that differ by no more than what rounding makes of the same tokens, 1e-5, are equal and share
// the mean of their ranks.
inline constexpr size_t kLateFeatures = 4;
using LateRow = std::array<double, kLateFeatures>;

// Of records beside each other; no similarity is NaN. O(n log n).
std::vector<LateRow> late_features(std::span<const float> similarities);

// What the weights of one question are.
struct LateWeights {
  std::span<const float> row;  // kRankFeatures + kLateFeatures, in this order
  double share;                // of them, 0 to 1, against the score and the rank by tokens
  double by_rank;              // a unit of -ln(rank)
};

// For each record what is added to its score: `share` of what the weights give beyond `base`, and the rest of
// by_rank * -ln(rank); less the mean of it all, so that on average nothing moves against records that were not looked at.
// 0 where the similarity, or a feature, is NaN, and for one record alone.
//
// `features` are kRankFeatures numbers a record, or none at all: then the rank counts alone, whole. What equal records get is
// equal, wherever they stand. O(n x features + n log n).
std::vector<double> late_added(std::span<const double> base, std::span<const float> features,
                               std::span<const float> similarities, const LateWeights& weights);

}  // namespace memspan
