#include "vectors/inner_products.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <tuple>
#include <vector>

#include "simd/kernels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(inner_products_of_matrices)

std::vector<float> random_rows(size_t count, size_t n, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> values;
  std::vector<float> rows(count * n);
  for (float& value : rows) value = values(engine);
  return rows;
}

BOOST_AUTO_TEST_CASE(every_row_meets_every_other) {
  // 700 x 100 floats are more than one tile.
  for (const auto& [rows, others, n] : {std::tuple{3, 2, 4}, {1, 1, 1}, {5, 700, 100}, {2, 3, 40'000}}) {
    const std::vector<float> left = random_rows(rows, n, 1);
    const std::vector<float> right = random_rows(others, n, 2);
    std::vector<float> out(static_cast<size_t>(rows) * others, -1.0F);
    inner_products(left, right, n, out);
    for (int row = 0; row < rows; ++row) {
      for (int other = 0; other < others; ++other) {
        const float expected = kernels().dot(&left[row * n], &right[other * n], n);
        BOOST_TEST_REQUIRE(out[row * others + other] == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_meets_nothing) {
  const std::vector<float> one(4, 1.0F);
  std::vector<float> out;
  inner_products({}, one, 4, out);
  inner_products(one, {}, 4, out);
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
