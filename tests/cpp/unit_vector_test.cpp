#include "vectors/unit_vector.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "memspan/error.hpp"
#include "memspan/types.hpp"
#include "support/messages.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(unit_vector)

using test::Mentions;

double length(const std::vector<float>& vector) {
  double sum = 0.0;
  for (float value : vector) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

BOOST_AUTO_TEST_CASE(any_magnitude_becomes_length_one) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {1.0f, -3.5f, Limits::max(), -Limits::max(), Limits::min(), Limits::denorm_min(), 1e-30f}) {
    for (const size_t dim : {size_t{1}, size_t{3}, size_t{384}, limits::kDim}) {
      const std::vector<float> vector(dim, value);
      std::vector<float> unit(dim);
      check_embedding(vector, dim, "embedding");
      normalize(vector, unit.data());
      BOOST_TEST(std::abs(length(unit) - 1.0) < 1e-5, value << " x " << dim);
      BOOST_TEST(std::signbit(unit[0]) == std::signbit(value));
    }
  }
}

BOOST_AUTO_TEST_CASE(huge_and_tiny_values_together) {
  const std::vector<float> vector = {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()};
  std::vector<float> unit(2);
  normalize(vector, unit.data());
  BOOST_TEST(unit[0] == 1.0f);
  BOOST_TEST(unit[1] == 0.0f);
}

BOOST_AUTO_TEST_CASE(one_denormal_among_zeros_is_no_zero_vector) {
  std::vector<float> vector(10, 0.0f);
  vector[7] = -std::numeric_limits<float>::denorm_min();
  check_embedding(vector, 10, "embedding");
  normalize(vector, vector.data());
  BOOST_TEST(vector[7] == -1.0f);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_found_wherever_it_stands) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (size_t dim = 1; dim <= 35; ++dim) {
      for (size_t position = 0; position < dim; ++position) {
        std::vector<float> vector(dim, -Limits::max());
        check_embedding(vector, dim, "embedding");
        vector[position] = value;
        BOOST_CHECK_EXCEPTION(check_embedding(vector, dim, "embedding"), InvalidEmbedding,
                              (Mentions{"embedding: got", "at position " + std::to_string(position) + ";"}));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_length_becomes_one) {
  for (size_t dim = 1; dim <= 35; ++dim) {
    std::vector<float> vector(dim), unit(dim);
    for (size_t i = 0; i < dim; ++i) vector[i] = static_cast<float>(i) - 7.25f;
    normalize(vector, unit.data());
    BOOST_TEST(std::abs(length(unit) - 1.0) < 1e-6, dim);
    BOOST_TEST(std::abs(static_cast<double>(unit[0]) * length(vector) - static_cast<double>(vector[0])) < 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(refusals_name_argument_problem_and_position) {
  std::vector<float> vector(4, 1.0f);
  BOOST_CHECK_EXCEPTION(check_embedding(vector, 5, "records[3].embedding"), InvalidEmbedding,
                        (Mentions{"records[3].embedding", "4 values", "accepted: 5 finite"}));
  BOOST_CHECK_THROW(check_embedding({}, 5, "embedding"), InvalidEmbedding);
  vector[2] = std::numeric_limits<float>::quiet_NaN();
  BOOST_CHECK_EXCEPTION(check_embedding(vector, 4, "embedding"), InvalidEmbedding, (Mentions{"NaN at position 2"}));
  vector[2] = -std::numeric_limits<float>::infinity();
  BOOST_CHECK_EXCEPTION(check_embedding(vector, 4, "embedding"), InvalidEmbedding, (Mentions{"infinity at position 2"}));
  for (const float zero : {0.0f, -0.0f}) {
    const std::vector<float> zeros(4, zero);
    BOOST_CHECK_EXCEPTION(check_embedding(zeros, 4, "embedding"), InvalidEmbedding, (Mentions{"a zero vector"}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
