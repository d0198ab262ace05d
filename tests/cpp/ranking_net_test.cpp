#include "memspan/ranking_net.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/nets.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(ranking_net)

using test::NetParts;

constexpr size_t kUnits = RankingNet::kUnits;

// From the definition.
double answer(const NetParts& parts, const FeatureRow& features) {
  const auto units = [&](bool mean) {
    double total = 0.0;
    for (size_t u = 0; u < kUnits; ++u) {
      double sum = static_cast<double>(parts.bias[u]);
      for (size_t f = 0; f < kRankFeatures && !mean; ++f) {
        const double scaled = (static_cast<double>(features[f]) - static_cast<double>(parts.mean[f])) * static_cast<double>(parts.scale[f]);
        sum += std::min(4.0, std::max(-4.0, scaled)) * static_cast<double>(parts.weights[f * kUnits + u]);
      }
      total += static_cast<double>(parts.out[u]) * sum / std::sqrt(1.0 + sum * sum);
    }
    return total;
  };
  return units(false) - units(true);
}

FeatureRow random_row(std::mt19937& random, float wide) {
  std::normal_distribution<float> normal;
  FeatureRow row;
  for (float& value : row) value = wide * normal(random);
  return row;
}

double total(const FeatureRow& parts) {
  double sum = 0.0;
  for (const float part : parts) sum += static_cast<double>(part);
  return sum;
}

BOOST_AUTO_TEST_CASE(answers_are_those_of_the_definition) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const NetParts parts = test::random_net_parts(random);
    const RankingNet net = parts.net();
    for (const float wide : {0.1f, 1.0f, 30.0f}) {
      const FeatureRow row = random_row(random, wide);
      BOOST_TEST(std::abs(static_cast<double>(net(row)) - answer(parts, row)) < 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_record_like_the_mean_gets_nothing) {
  std::mt19937 random(2);
  const NetParts parts = test::random_net_parts(random);
  const RankingNet net = parts.net();
  FeatureRow mean;
  std::copy(parts.mean.begin(), parts.mean.end(), mean.begin());
  BOOST_TEST(net(mean) == 0.0f);
  BOOST_TEST(total(net.parts(mean)) == 0.0);
}

BOOST_AUTO_TEST_CASE(what_is_far_out_counts_no_more_than_what_is_at_the_limit) {
  std::mt19937 random(3);
  NetParts parts = test::random_net_parts(random);
  parts.mean.assign(kRankFeatures, 0.0f);
  parts.scale.assign(kRankFeatures, 2.0f);
  const RankingNet net = parts.net();
  FeatureRow limit;
  FeatureRow beyond;
  limit.fill(RankingNet::kMost / 2.0f);
  beyond.fill(1e30f);
  BOOST_TEST(net(beyond) == net(limit));
}

BOOST_AUTO_TEST_CASE(parts_of_an_answer_add_up_to_it) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    NetParts parts = test::random_net_parts(random);
    // Features that say nothing; and units that hardly move, whose curve has no second point.
    parts.scale[7] = 0.0f;
    for (size_t f = 0; f < kRankFeatures; ++f) parts.weights[f * kUnits + 5] *= 1e-7f;
    const RankingNet net = parts.net();
    const FeatureRow row = random_row(random, 2.0f);
    const FeatureRow shares = net.parts(row);
    BOOST_TEST(std::abs(total(shares) - static_cast<double>(net(row))) < 1e-4);
    BOOST_TEST(shares[7] == 0.0f);
  }
}

BOOST_AUTO_TEST_CASE(one_feature_alone_has_the_whole_answer) {
  std::mt19937 random(5);
  NetParts parts = test::random_net_parts(random);
  for (size_t f = 0; f < kRankFeatures; ++f) {
    if (f != 3) std::fill_n(parts.weights.begin() + static_cast<std::ptrdiff_t>(f * kUnits), kUnits, 0.0f);
  }
  const RankingNet net = parts.net();
  const FeatureRow row = random_row(random, 1.0f);
  BOOST_TEST(std::abs(net.parts(row)[3] - net(row)) < 1e-5f);
}

BOOST_AUTO_TEST_CASE(the_largest_nets_give_finite_answers) {
  NetParts parts;
  for (auto* const part : {&parts.scale, &parts.weights, &parts.out}) part->assign(part->size(), 1e6f);
  parts.mean.assign(kRankFeatures, -1e6f);
  parts.bias.assign(kUnits, -1e6f);
  const RankingNet net = parts.net();
  FeatureRow row;
  row.fill(1e6f);
  BOOST_TEST(std::isfinite(net(row)));
  BOOST_TEST(std::isfinite(total(net.parts(row))));
}

BOOST_AUTO_TEST_CASE(bad_nets_are_refused_by_name) {
  std::mt19937 random(6);
  struct Case {
    std::string name;
    std::function<void(NetParts&)> spoil;
  };
  const std::vector<Case> cases = {
      {"mean", [](NetParts& p) { p.mean.pop_back(); }},
      {"scale", [](NetParts& p) { p.scale.clear(); }},
      {"weights", [](NetParts& p) { p.weights.push_back(0.0f); }},
      {"bias", [](NetParts& p) { p.bias.resize(64); }},
      {"out", [](NetParts& p) { p.out.resize(1); }},
      {"mean", [](NetParts& p) { p.mean[3] = std::numeric_limits<float>::quiet_NaN(); }},
      {"scale", [](NetParts& p) { p.scale[0] = std::numeric_limits<float>::infinity(); }},
      {"weights", [](NetParts& p) { p.weights.back() = -std::numeric_limits<float>::infinity(); }},
      {"bias", [](NetParts& p) { p.bias[31] = 1.5e6f; }},
      {"out", [](NetParts& p) { p.out[0] = -std::numeric_limits<float>::quiet_NaN(); }},
  };
  for (const Case& each : cases) {
    NetParts parts = test::random_net_parts(random);
    parts.net();
    each.spoil(parts);
    BOOST_CHECK_EXCEPTION(parts.net(), InvalidArgument, test::Mentions({each.name}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
