// Nets for the learned ranking, with random weights.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "memspan/ranking_net.hpp"

namespace memspan::test {

struct NetParts {
  std::vector<float> mean = std::vector<float>(kRankFeatures);
  std::vector<float> scale = std::vector<float>(kRankFeatures);
  std::vector<float> weights = std::vector<float>(kRankFeatures * RankingNet::kUnits);
  std::vector<float> bias = std::vector<float>(RankingNet::kUnits);
  std::vector<float> out = std::vector<float>(RankingNet::kUnits);

  RankingNet net() const { return {mean, scale, weights, bias, out}; }
};

inline NetParts random_net_parts(std::mt19937& random) {
  std::normal_distribution<float> normal;
  NetParts parts;
  for (auto* const part : {&parts.mean, &parts.bias, &parts.out}) {
    for (float& value : *part) value = normal(random);
  }
  for (float& value : parts.scale) value = 0.1f + std::abs(normal(random));
  for (float& value : parts.weights) value = 0.3f * normal(random);
  return parts;
}

inline std::shared_ptr<const RankingNet> random_net(std::mt19937& random) {
  return std::make_shared<RankingNet>(random_net_parts(random).net());
}

}  // namespace memspan::test
