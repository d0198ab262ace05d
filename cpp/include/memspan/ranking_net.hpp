// A small net over the features of the learned ranking, for what a weighted sum cannot say, such as that a cosine counts less
// in a long text.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "memspan/ranking.hpp"

namespace memspan {

// One layer of hidden units, each out * s / sqrt(1 + s^2), where s is its bias and the weighted sum of what it sees: the
// features, less their mean, times their scale, within +-kMost. What the units give for a record that is the mean in
// everything is taken off, so that what is answered says how a record differs from it. Immutable.
class RankingNet {
 public:
  static constexpr size_t kUnits = 32;
  static constexpr float kMost = 4.0f;

  // `weights` has a row of units for each feature. Throws InvalidArgument for another number of values, or one that is not
  // between -1,000,000 and 1,000,000.
  RankingNet(std::span<const float> mean, std::span<const float> scale, std::span<const float> weights,
             std::span<const float> bias, std::span<const float> out);

  // What is added to the record's weighted sum. O(features x units).
  float operator()(const FeatureRow& features) const;
  // Adds that to the score of each record, the same bits: several at once take half the time.
  void add_to(std::span<const FeatureRow> records, std::span<float> scores) const;

  // What each feature has in that; they add up to it, but for rounding. A unit's answer is shared out by what each feature adds
  // to its sum (the rescale rule of DeepLIFT: Shrikumar et al., ICML 2017, section 3.5.1). O(features x units).
  FeatureRow parts(const FeatureRow& features) const;

 private:
  FeatureRow seen(const FeatureRow& features) const;

  using UnitRow = std::array<float, kUnits>;
  FeatureRow mean_;
  FeatureRow scale_;
  std::array<float, kRankFeatures * kUnits> weights_;  // by feature, so that the units are worked out side by side
  UnitRow bias_;
  UnitRow out_;
  float usual_ = 0.0f;  // what the units give for the mean
};

}  // namespace memspan
