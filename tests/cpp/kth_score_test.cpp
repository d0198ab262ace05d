#include "base/kth_score.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(kth_score)

void check(const std::vector<float>& scores) {
  std::vector<float> sorted = scores;
  std::sort(sorted.rbegin(), sorted.rend());
  for (size_t k = 1; k <= scores.size(); k += 1 + k / 8) {
    std::vector<Candidate> candidates;
    for (const float score : scores) candidates.push_back({score, static_cast<Slot>(candidates.size())});
    BOOST_REQUIRE_MESSAGE(memspan::kth_score(candidates, k) == sorted[k - 1], "k " << k << " of " << scores.size());
    // All are still there.
    std::vector<float> left;
    for (const Candidate& candidate : candidates) {
      BOOST_REQUIRE(scores[candidate.slot] == candidate.score);
      left.push_back(candidate.score);
    }
    std::sort(left.rbegin(), left.rend());
    BOOST_REQUIRE(left == sorted);
  }
}

BOOST_AUTO_TEST_CASE(equals_the_one_of_a_sort) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 200; ++round) {
    std::vector<float> scores(1 + random() % 900);
    const uint32_t kind = round % 5;
    for (float& score : scores) {
      const auto some = static_cast<float>(random() % 1'000'000) / 1e6f;
      score = kind == 0   ? some
              : kind == 1 ? static_cast<float>(random() % 4) - 2.0f                         // many ties
              : kind == 2 ? std::exp(8.0f * normal(random))                                 // nearly all in one bin
              : kind == 3 ? std::nextafter(0.5f, random() % 2 == 0 ? 0.0f : 1.0f)            // a width of nearly nothing
                          : -some;
    }
    check(scores);
  }
}

BOOST_AUTO_TEST_CASE(extreme_scores) {
  using Limits = std::numeric_limits<float>;
  check({1.0f});
  check({2.0f, 2.0f, 2.0f});
  check({0.0f, -0.0f, Limits::denorm_min(), -Limits::denorm_min()});
  check({Limits::max(), -Limits::max(), 0.0f, 1.0f, 1.0f});
  check({Limits::infinity(), -Limits::infinity(), 0.0f, 1.0f, 2.0f, Limits::infinity()});
  std::vector<float> outlier(500, 0.25f);
  for (size_t i = 0; i < outlier.size(); ++i) outlier[i] += 1e-6f * static_cast<float>(i);
  outlier[77] = 1e30f;
  check(outlier);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
