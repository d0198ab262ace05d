#include "memspan/ranking_net.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "memspan/error.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

static_assert(RankingNet::kUnits == kHiddenUnits);

// Within these no sum of units overflows.
constexpr float kLargestInNet = 1e6f;
// Below this a unit's curve is as good as straight.
constexpr double kStraight = 1e-4;

template <size_t N>
void copy_into(std::array<float, N>& to, std::span<const float> values, const char* name) {
  if (values.size() != N) {
    throw InvalidArgument(name, std::to_string(values.size()) + " numbers", std::to_string(N) + " numbers");
  }
  for (const float value : values) {
    if (value >= -kLargestInNet && value <= kLargestInNet) continue;  // NaN is refused too
    throw InvalidArgument(name, std::to_string(value), "-1,000,000 to 1,000,000");
  }
  std::copy(values.begin(), values.end(), to.begin());
}

double softened(double sum) { return sum / std::sqrt(1.0 + sum * sum); }

// Of the straight line between two points of that curve.
double slope(double from, double to) {
  if (std::abs(to - from) < kStraight) return std::pow(1.0 + from * from, -1.5);
  return (softened(to) - softened(from)) / (to - from);
}

}  // namespace

RankingNet::RankingNet(std::span<const float> mean, std::span<const float> scale, std::span<const float> weights,
                       std::span<const float> bias, std::span<const float> out) {
  copy_into(mean_, mean, "mean");
  copy_into(scale_, scale, "scale");
  copy_into(weights_, weights, "weights");
  copy_into(bias_, bias, "bias");
  copy_into(out_, out, "out");
  kernels().hidden_layer(nullptr, 1, 0, weights_.data(), bias_.data(), out_.data(), &usual_);
}

float RankingNet::operator()(const FeatureRow& features) const {
  float score = 0.0f;
  add_to(std::span(&features, 1), std::span(&score, 1));
  return score;
}

void RankingNet::add_to(std::span<const FeatureRow> records, std::span<float> scores) const {
  constexpr size_t kTogether = 8;
  std::array<FeatureRow, kTogether> values;
  std::array<float, kTogether> answers;
  for (size_t first = 0; first < records.size(); first += kTogether) {
    const size_t count = std::min(kTogether, records.size() - first);
    for (size_t i = 0; i < count; ++i) values[i] = seen(records[first + i]);
    kernels().hidden_layer(values.front().data(), count, kRankFeatures, weights_.data(), bias_.data(), out_.data(), answers.data());
    for (size_t i = 0; i < count; ++i) scores[first + i] += answers[i] - usual_;
  }
}

FeatureRow RankingNet::parts(const FeatureRow& features) const {
  const FeatureRow values = seen(features);
  std::array<double, kUnits> sums;
  std::copy(bias_.begin(), bias_.end(), sums.begin());
  for (size_t f = 0; f < kRankFeatures; ++f) {
    for (size_t u = 0; u < kUnits; ++u) sums[u] += static_cast<double>(values[f] * weights_[f * kUnits + u]);
  }
  FeatureRow parts;
  for (size_t f = 0; f < kRankFeatures; ++f) {
    double part = 0.0;
    for (size_t u = 0; u < kUnits; ++u) {
      part += static_cast<double>(out_[u] * weights_[f * kUnits + u]) * slope(static_cast<double>(bias_[u]), sums[u]);
    }
    parts[f] = static_cast<float>(part * static_cast<double>(values[f]));
  }
  return parts;
}

FeatureRow RankingNet::seen(const FeatureRow& features) const {
  FeatureRow values;
  // One after the other, so that each is an instruction for several values; std::clamp takes five times as many.
  for (size_t f = 0; f < kRankFeatures; ++f) values[f] = (features[f] - mean_[f]) * scale_[f];
  for (float& value : values) value = value > -kMost ? value : -kMost;
  for (float& value : values) value = value < kMost ? value : kMost;
  return values;
}

}  // namespace memspan
