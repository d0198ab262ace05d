#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_select)

std::vector<uint32_t> selected(const SimdLevel& level, const std::vector<float>& scores, float threshold) {
  std::vector<uint32_t> out(scores.size() + 1, 4242);
  const size_t found = level.kernels->select_above(scores.data(), scores.size(), threshold, out.data());
  BOOST_TEST(out.back() == 4242u, name_of(level));
  out.resize(found);
  return out;
}

BOOST_AUTO_TEST_CASE(every_level_selects_what_is_not_below) {
  std::mt19937 random(7);
  for (size_t count = 0; count <= 300; count += count < 140 ? 1 : 23) {
    for (const unsigned share : {0u, 1u, 10u, 50u, 99u, 100u}) {
      std::vector<float> scores(count);
      std::vector<uint32_t> expected;
      for (size_t i = 0; i < count; ++i) {
        scores[i] = random() % 100 < share ? 0.5f + 0.25f * static_cast<float>(random() % 2) : 0.25f;
        if (scores[i] >= 0.5f) expected.push_back(static_cast<uint32_t>(i));
      }
      for (const SimdLevel& level : levels()) {
        BOOST_TEST((selected(level, scores, 0.5f) == expected), name_of(level) << ", count " << count);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_scores_zeros_infinities_and_no_numbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const size_t copies : {1u, 16u}) {  // a scalar remainder, or whole vectors
    std::vector<float> scores;
    for (size_t i = 0; i < copies; ++i) {
      scores.insert(scores.end(), {0.0f, -0.0f, std::nextafter(1.0f, 0.0f), 1.0f, std::nextafter(1.0f, 2.0f), kNan,
                                   kInfinity, -kInfinity});
    }
    for (const float threshold : {0.0f, -0.0f, 1.0f, kInfinity, -kInfinity, kNan}) {
      std::vector<uint32_t> expected;
      for (size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] >= threshold) expected.push_back(static_cast<uint32_t>(i));
      }
      for (const SimdLevel& level : levels()) {
        BOOST_TEST((selected(level, scores, threshold) == expected), name_of(level) << ", threshold " << threshold);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_level_counts_what_is_above) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::mt19937 random(3);
  for (size_t count = 0; count <= 300; count += count < 140 ? 1 : 23) {
    for (const uint32_t values : {1u, 7u, 1'000'000u}) {
      std::vector<float> scores(count);
      for (float& score : scores) score = static_cast<float>(random() % values) - 3.0f;
      if (count > 4) scores[0] = kInfinity, scores[1] = -kInfinity, scores[2] = 0.0f, scores[3] = -0.0f;
      std::vector<uint32_t> expected;
      for (const float score : scores) {
        expected.push_back(static_cast<uint32_t>(std::count_if(scores.begin(), scores.end(), [score](float other) { return other > score; })));
      }
      expected.push_back(4242);
      for (const SimdLevel& level : levels()) {
        std::vector<uint32_t> above(count + 1, 4242);
        level.kernels->count_above(scores.data(), count, above.data());
        BOOST_TEST((above == expected), name_of(level) << ", count " << count << ", " << values << " values");
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
