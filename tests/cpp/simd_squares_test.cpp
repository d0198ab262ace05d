#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_squares)

// Of magnitudes far apart, so that the order of additions tells.
std::vector<float> some_vector(size_t n, std::mt19937& random) {
  std::vector<float> vector(n);
  for (float& value : vector) {
    value = std::ldexp(static_cast<float>(random() % 2'000'001) / 1e6f - 1.0f, static_cast<int>(random() % 60) - 30);
  }
  return vector;
}

BOOST_AUTO_TEST_CASE(every_level_gives_the_same_bits) {
  std::mt19937 random(11);
  const Kernels& first = *levels()[0].kernels;
  for (size_t n = 0; n <= 400; n += n < 70 ? 1 : 33) {
    const std::vector<float> vector = some_vector(n, random);
    const double sum = first.square_sum(vector.data(), n);
    double plain = 0.0;
    for (const float value : vector) plain += static_cast<double>(value) * static_cast<double>(value);
    BOOST_TEST(std::abs(sum - plain) <= 1e-12 * plain, n);
    const double factor = static_cast<double>(random() % 1000) / 7.0;
    for (const SimdLevel& level : levels()) {
      BOOST_TEST(level.kernels->square_sum(vector.data(), n) == sum, name_of(level) << ", n " << n);
      std::vector<float> product(n + 1, 42.0f);
      level.kernels->multiply(vector.data(), factor, n, product.data());
      BOOST_TEST(product.back() == 42.0f, name_of(level));
      for (size_t i = 0; i < n; ++i) {
        BOOST_REQUIRE_MESSAGE(product[i] == static_cast<float>(static_cast<double>(vector[i]) * factor), name_of(level));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_sum_tells_what_can_be_normalized) {
  using Limits = std::numeric_limits<float>;
  for (const SimdLevel& level : levels()) {
    for (const size_t n : {1u, 16u, 384u, 1000u}) {
      for (const size_t at : {size_t{0}, n / 2, n - 1}) {
        std::vector<float> vector(n, 0.0f);
        const auto sum = [&] { return level.kernels->square_sum(vector.data(), n); };
        BOOST_TEST(sum() == 0.0, name_of(level));
        vector[at] = -Limits::denorm_min();
        BOOST_TEST(sum() > 0.0, name_of(level));
        vector.assign(n, Limits::max());
        BOOST_TEST(std::isfinite(sum()), name_of(level));
        vector[at] = -Limits::infinity();
        BOOST_TEST(!std::isfinite(sum()), name_of(level));
        vector[at] = Limits::quiet_NaN();
        BOOST_TEST(!std::isfinite(sum()), name_of(level));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
