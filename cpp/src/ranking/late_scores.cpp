#include "ranking/late_scores.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace memspan {
namespace {

enum LateFeature : size_t { kSimilarity, kZ, kRank, kTop };

double rounded(float similarity) { return std::nearbyint(static_cast<double>(similarity) * 1e5) / 1e5; }

// From 1, the highest value's; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return values[a] > values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = static_cast<double>(first + 1 + end) / 2;
    for (size_t i = first; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

bool known(std::span<const float> features) {
  return std::none_of(features.begin(), features.end(), [](float value) { return std::isnan(value); });
}

// In double precision, product by product, so that what comes out depends on the record alone.
double weighed(std::span<const float> features, const LateRow& late, std::span<const float> weights) {
  double sum = 0.0;
  for (size_t i = 0; i < features.size(); ++i) sum += static_cast<double>(features[i]) * static_cast<double>(weights[i]);
  for (size_t i = 0; i < late.size(); ++i) sum += late[i] * static_cast<double>(weights[features.size() + i]);
  return sum;
}

}  // namespace

std::vector<LateRow> late_features(std::span<const float> similarities) {
  constexpr double kEqual = 1e-6;
  const auto count = static_cast<double>(similarities.size());
  std::vector<double> values;
  for (const float similarity : similarities) values.push_back(rounded(similarity));
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / count);
  const std::vector<double> ranks = ranks_of(values);
  std::vector<LateRow> rows(values.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i][kSimilarity] = values[i];
    rows[i][kZ] = deviation > kEqual ? (values[i] - mean) / deviation : 0.0;
    rows[i][kRank] = -std::log(ranks[i]);
    rows[i][kTop] = 4.0 / (ranks[i] + 3.0);
  }
  return rows;
}

std::vector<double> late_added(std::span<const double> base, std::span<const float> features,
                               std::span<const float> similarities, const LateWeights& weights) {
  std::vector<size_t> there;
  std::vector<float> said;
  for (size_t i = 0; i < similarities.size(); ++i) {
    if (std::isnan(similarities[i])) continue;
    if (!features.empty() && !known(features.subspan(i * kRankFeatures, kRankFeatures))) continue;
    there.push_back(i);
    said.push_back(similarities[i]);
  }
  std::vector<double> added(similarities.size());
  if (there.size() < 2) return added;
  const std::vector<LateRow> late = late_features(said);
  double sum = 0.0;
  for (size_t i = 0; i < there.size(); ++i) {
    double& value = added[there[i]];
    value = weights.by_rank * late[i][kRank];
    if (!features.empty()) {
      const double together = weighed(features.subspan(there[i] * kRankFeatures, kRankFeatures), late[i], weights.row);
      value = weights.share * (together - base[there[i]]) + (1.0 - weights.share) * value;
    }
    sum += value;
  }
  const double mean = sum / static_cast<double>(there.size());
  for (const size_t i : there) added[i] -= mean;
  return added;
}

}  // namespace memspan
