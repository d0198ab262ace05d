#include "ranking/late_scores.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(late_scores)

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Features of so many records, each with its number in one of them.
std::vector<float> numbered(size_t count) {
  std::vector<float> features(count * kRankFeatures);
  for (size_t i = 0; i < count; ++i) features[i * kRankFeatures] = static_cast<float>(i);
  return features;
}

// What only counts that feature and the similarity.
std::vector<float> weights(float numbers, float similarity) {
  std::vector<float> row(kRankFeatures + kLateFeatures);
  row[0] = numbers;
  row[kRankFeatures] = similarity;
  return row;
}

BOOST_AUTO_TEST_CASE(features_of_three_of_which_two_say_the_same) {
  const std::vector<float> similarities = {0.5f, 0.8f, 0.500001f};
  const std::vector<LateRow> rows = late_features(similarities);
  BOOST_REQUIRE_EQUAL(rows.size(), 3u);
  BOOST_TEST(rows[0] == rows[2]);
  const double deviation = std::sqrt(0.02);  // of .5, .8 and .5
  const LateRow best = {0.8, 0.2 / deviation, 0.0, 1.0};
  const LateRow second = {0.5, -0.1 / deviation, -std::log(2.5), 4 / 5.5};
  for (size_t f = 0; f < kLateFeatures; ++f) {
    BOOST_TEST(std::abs(rows[1][f] - best[f]) < 1e-6);
    BOOST_TEST(std::abs(rows[0][f] - second[f]) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(features_of_one_and_of_none) {
  BOOST_TEST(late_features({}).empty());
  const std::vector<float> one = {-0.25f};
  BOOST_TEST(late_features(one)[0] == (LateRow{-0.25, 0.0, 0.0, 1.0}));
}

BOOST_AUTO_TEST_CASE(without_features_the_rank_counts_alone) {
  const std::vector<float> similarities = {0.1f, kNaN, 0.9f};
  const std::vector<double> added = late_added({}, {}, similarities, {{}, 0.5, 2.0});
  const double mean = -std::log(2.0);  // of 0 and -2 ln 2
  BOOST_TEST(std::abs(added[0] - mean) < 1e-12);
  BOOST_TEST(added[1] == 0.0);
  BOOST_TEST(std::abs(added[2] + mean) < 1e-12);
}

BOOST_AUTO_TEST_CASE(weights_count_their_share_beyond_the_base) {
  const std::vector<float> similarities = {0.5f, 0.5f, 0.5f};
  const std::vector<double> base = {1.0, 0.0, 2.0};
  const std::vector<double> added = late_added(base, numbered(3), similarities, {weights(4.0f, 7.0f), 0.25, 2.0});
  // .25 (4 i - base) and what is the same of all.
  const std::vector<double> wanted = {-0.25, 1.0, 1.5};
  const double mean = std::accumulate(wanted.begin(), wanted.end(), 0.0) / 3;
  for (size_t i = 0; i < 3; ++i) BOOST_TEST(std::abs(added[i] - (wanted[i] - mean)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_not_moved) {
  std::vector<float> features = numbered(4);
  features[2 * kRankFeatures + 5] = kNaN;
  const std::vector<double> base(4);
  const std::vector<float> similarities = {0.1f, kNaN, 0.3f, 0.4f};
  const std::vector<double> added = late_added(base, features, similarities, {weights(1.0f, 0.0f), 1.0, 2.0});
  BOOST_TEST(added == (std::vector<double>{-1.5, 0.0, 0.0, 1.5}), boost::test_tools::per_element());
  const std::vector<float> one = {0.1f, kNaN, kNaN, kNaN};
  BOOST_TEST(late_added(base, features, one, {weights(1.0f, 0.0f), 1.0, 2.0}) == std::vector<double>(4),
             boost::test_tools::per_element());
  BOOST_TEST(late_added({}, {}, {}, {{}, 0.0, 1.0}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
