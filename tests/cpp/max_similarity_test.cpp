#include "vectors/max_similarity.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "memspan/error.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(max_similarity)

std::vector<float> unit_rows(size_t count, size_t n, std::mt19937& random) {
  std::normal_distribution<float> values;
  std::vector<float> rows(count * n);
  for (size_t row = 0; row < count; ++row) {
    double squares = 0.0;
    for (size_t i = 0; i < n; ++i) {
      rows[row * n + i] = values(random);
      squares += static_cast<double>(rows[row * n + i]) * static_cast<double>(rows[row * n + i]);
    }
    for (size_t i = 0; i < n; ++i) rows[row * n + i] /= static_cast<float>(std::sqrt(squares));
  }
  return rows;
}

std::vector<int8_t> byte_rows(size_t count, size_t n, std::mt19937& random) {
  std::vector<int8_t> rows(count * n);
  for (int8_t& value : rows) value = static_cast<int8_t>(static_cast<int>(random() % 256) - 128);
  return rows;
}

// In plain double precision.
double plainly(const std::vector<float>& question, const std::vector<int8_t>& text, size_t n) {
  double sum = 0.0;
  for (size_t token = 0; token < question.size() / n; ++token) {
    double best = -2.0;
    for (size_t row = 0; row < text.size() / n; ++row) {
      double product = 0.0, squares = 0.0;
      for (size_t i = 0; i < n; ++i) {
        const double value = text[row * n + i];
        product += static_cast<double>(question[token * n + i]) * value;
        squares += value * value;
      }
      best = std::max(best, product / std::sqrt(std::max(squares, 1.0)));
    }
    sum += best;
  }
  return sum / static_cast<double>(question.size() / n);
}

BOOST_AUTO_TEST_CASE(it_is_the_mean_of_the_best_cosines) {
  std::mt19937 random(5);
  for (const auto& [asked, tokens, n] : {std::tuple{1, 1, 1}, {3, 2, 5}, {12, 25, 96}, {64, 64, 96}, {2, 7, 8192}}) {
    const std::vector<float> question = unit_rows(static_cast<size_t>(asked), static_cast<size_t>(n), random);
    MaxSimilarity similarity(question, static_cast<size_t>(n));
    // A shorter one after a longer one must not see what that left behind.
    for (const int count : {tokens, 1, tokens}) {
      const std::vector<int8_t> text = byte_rows(static_cast<size_t>(count), static_cast<size_t>(n), random);
      BOOST_TEST(std::abs(similarity(TokenBlocks(text, static_cast<size_t>(n))) - plainly(question, text, static_cast<size_t>(n))) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_of_zeros_is_like_nothing_and_lengths_do_not_count) {
  const std::vector<float> question = {0.6f, 0.8f, 0.0f};
  MaxSimilarity similarity(question, 3);
  const std::vector<int8_t> zeros(3);
  BOOST_TEST(similarity(TokenBlocks(zeros, 3)) == 0.0f);
  const std::vector<int8_t> near = {3, 4, 0}, longer = {75, 100, 0}, opposite = {-128, -128, -128};
  BOOST_TEST(std::abs(similarity(TokenBlocks(near, 3)) - 1.0f) < 1e-5f);
  BOOST_TEST(std::abs(similarity(TokenBlocks(longer, 3)) - 1.0f) < 1e-5f);
  BOOST_TEST(similarity(TokenBlocks(opposite, 3)) < -0.8f);
}

BOOST_AUTO_TEST_CASE(without_tokens_there_is_none) {
  const std::vector<float> question = {1.0f, 0.0f};
  const std::vector<int8_t> text = {1, 0};
  MaxSimilarity similarity(question, 2);
  BOOST_TEST(std::isnan(similarity(TokenBlocks({}, 2))));
  MaxSimilarity unasked({}, 2);
  BOOST_TEST(std::isnan(unasked(TokenBlocks(text, 2))));
}

BOOST_AUTO_TEST_CASE(the_lengths_of_a_question_count_and_extremes_stay_within_32_bits) {
  constexpr size_t kMost = 8192;
  for (const float value : {1e-18f, 1.0f, 1e18f}) {
    MaxSimilarity similarity(std::vector<float>(kMost, value), kMost);
    const std::vector<int8_t> same(kMost, -128);
    const float length = value * std::sqrt(static_cast<float>(kMost));
    BOOST_TEST(std::abs(similarity(TokenBlocks(same, kMost)) / length + 1.0f) < 1e-4f);
  }
  const std::vector<float> nothing(3);
  MaxSimilarity similarity(nothing, 3);
  const std::vector<int8_t> text = {1, 2, 3};
  BOOST_TEST(similarity(TokenBlocks(text, 3)) == 0.0f);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_refused) {
  for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const std::vector<float> question = {1.0f, value};
    BOOST_CHECK_THROW(MaxSimilarity(question, 2), InvalidArgument);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
