// Rows as they lie in memory, against the floats that they stand for.
#include "vectors/row_shape.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "memspan/error.hpp"
#include "support/records.hpp"
#include "vectors/row_list.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(row_shape)

constexpr size_t kDims[] = {1, 2, 3, 16, 33, 384, 385};

std::vector<float> kept(const RowShape& shape, const std::vector<float>& values) {
  std::vector<std::byte> row(shape.bytes(), std::byte{0x55});
  shape.write(values.data(), row.data());
  std::vector<float> buffer(shape.dim());
  const float* const floats = shape.floats(row.data(), buffer.data());
  return {floats, floats + shape.dim()};
}

// The numbers of 8 significant bits at or next to `value`: the one nearer to zero, and the one farther from it.
std::pair<float, float> neighbours(float value) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(static_cast<double>(value), &exponent), 8);
  const double low = std::trunc(significand);
  const double high = low == significand ? low : low + std::copysign(1.0, significand);
  return {static_cast<float>(std::ldexp(low, exponent - 8)), static_cast<float>(std::ldexp(high, exponent - 8))};
}

double square(const std::vector<float>& values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

BOOST_AUTO_TEST_CASE(floats_are_kept_as_they_are_and_bfloat16_has_neighbours) {
  std::mt19937 random(1);
  for (const size_t dim : kDims) {
    const RowShape shape(dim, RowFormat::bfloat16);
    for (int round = 0; round < 20; ++round) {
      const std::vector<float> values = test::random_vector(dim, random);
      BOOST_TEST(kept(dim, values) == values, boost::test_tools::per_element());
      const std::vector<float> found = kept(shape, values);
      std::vector<float> nearest;
      size_t nearer = 0;
      for (size_t i = 0; i < dim; ++i) {
        const auto [low, high] = neighbours(values[i]);
        BOOST_REQUIRE((found[i] == low || found[i] == high));
        nearest.push_back(std::abs(values[i] - low) <= std::abs(high - values[i]) ? low : high);
        nearer += found[i] == nearest.back();
      }
      BOOST_TEST(nearer >= dim / 2);
      // The length is kept, better than by the nearest values.
      BOOST_TEST(std::abs(square(found) - square(values)) <= std::abs(square(nearest) - square(values)) + 1e-12);
      if (dim >= 384) BOOST_TEST(std::abs(square(found) / square(values) - 1.0) < 1e-4);
      BOOST_TEST(kept(shape, found) == found, boost::test_tools::per_element());
    }
  }
  const RowShape shape(4, RowFormat::bfloat16);
  BOOST_TEST(kept(shape, {0.0f, -0.0f, 1.0f, -0.5f}) == (std::vector<float>{0.0f, 0.0f, 1.0f, -0.5f}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rows_take_whole_words) {
  for (const size_t dim : kDims) {
    BOOST_TEST(RowShape(dim).bytes() == 4 * dim);
    const RowShape half(dim, RowFormat::bfloat16);
    BOOST_TEST(half.bytes() == (dim + 1) / 2 * 4);
    // What is behind the last value does not depend on what was there before.
    std::vector<std::byte> row(half.bytes(), std::byte{0x55});
    half.write(std::vector<float>(dim, 1.0f).data(), row.data());
    for (size_t i = 2 * dim; i < row.size(); ++i) BOOST_TEST((row[i] == std::byte{0}));
  }
}

BOOST_AUTO_TEST_CASE(products_have_the_bits_of_the_floats) {
  std::mt19937 random(2);
  for (const size_t dim : kDims) {
    const RowShape shape(dim, RowFormat::bfloat16);
    constexpr size_t kRows = 11;
    std::vector<std::byte> memory(kRows * shape.bytes());
    std::vector<float> floats;
    RowList rows(shape);
    for (size_t i = 0; i < kRows; ++i) {
      const std::vector<float> values = test::random_vector(dim, random);
      shape.write(values.data(), memory.data() + i * shape.bytes());
      rows.push_back(memory.data() + i * shape.bytes());
      std::vector<float> buffer(dim);
      const float* const row = rows.floats(i, buffer.data());
      floats.insert(floats.end(), row, row + dim);
    }
    const std::vector<float> query = test::random_vector(dim, random);
    std::vector<float> wanted(kRows);
    RowShape(dim).dot_rows(query.data(), reinterpret_cast<const std::byte*>(floats.data()), kRows, wanted.data());
    std::vector<float> found(kRows);
    shape.dot_rows(query.data(), memory.data(), kRows, found.data());
    BOOST_TEST(found == wanted, boost::test_tools::per_element());
    for (size_t i = 0; i < kRows; ++i) BOOST_TEST(RowView(rows).dot(query.data(), i) == wanted[i]);
  }
}

BOOST_AUTO_TEST_CASE(only_unit_vectors_and_erased_rows_are_sound) {
  std::mt19937 random(3);
  for (const RowFormat format : {RowFormat::float32, RowFormat::bfloat16}) {
    for (const size_t dim : kDims) {
      const RowShape shape(dim, format);
      std::vector<std::byte> row(shape.bytes());
      BOOST_TEST(shape.is_sound(row.data()));
      for (int round = 0; round < 20; ++round) {
        std::vector<float> values = test::random_vector(dim, random);
        normalize(values, values.data());
        shape.write(values.data(), row.data());
        BOOST_TEST(shape.is_sound(row.data()));
        for (const float factor : {0.5f, 1.1f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
          std::vector<float> wrong = values;
          for (float& value : wrong) value *= factor;
          shape.write(wrong.data(), row.data());
          BOOST_TEST(!shape.is_sound(row.data()));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(formats_have_names) {
  for (const RowFormat format : {RowFormat::float32, RowFormat::bfloat16}) {
    BOOST_TEST((parse_row_format(row_format_name(format)) == format));
  }
  for (const char* const name : {"", "float16", "BFLOAT16"}) BOOST_CHECK_THROW(parse_row_format(name), InvalidArgument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
