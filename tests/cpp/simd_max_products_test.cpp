#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"
#include "vectors/token_blocks.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_max_products)

constexpr size_t kMostValues = 8192;
constexpr int kLongest = 32767;

// Of length kLongest at most: one number alone, or all of them alike.
std::vector<int16_t> numbers(size_t count, size_t n, size_t stride, bool extreme, std::mt19937& random) {
  std::vector<int16_t> queries(count * stride);
  const int most = extreme ? kLongest : static_cast<int>(kLongest / std::sqrt(static_cast<double>(n)));
  for (size_t q = 0; q < count; ++q) {
    if (extreme) {
      queries[q * stride + random() % n] = static_cast<int16_t>(random() % 2 == 0 ? most : -most);
      continue;
    }
    for (size_t i = 0; i < n; ++i) {
      queries[q * stride + i] = static_cast<int16_t>(static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most);
    }
  }
  return queries;
}

// One token at a time.
float expected(const int16_t* query, const std::vector<int8_t>& rows, size_t n) {
  float best = -std::numeric_limits<float>::max();
  for (size_t row = 0; row < rows.size() / n; ++row) {
    int32_t sum = 0, squares = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += query[i] * rows[row * n + i];
      squares += rows[row * n + i] * rows[row * n + i];
    }
    const float scale = 1.0f / std::sqrt(static_cast<float>(std::max(squares, 1)));
    best = std::max(best, static_cast<float>(sum) * scale);
  }
  return best;
}

BOOST_AUTO_TEST_CASE(every_level_finds_the_best_token_that_one_at_a_time_finds) {
  std::mt19937 random(1);
  for (const size_t n : {size_t{1}, size_t{2}, size_t{7}, size_t{96}, kMostValues}) {
    for (const size_t tokens : {size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{64}}) {
      for (const bool extreme : {false, true}) {
        std::vector<int8_t> rows(tokens * n);
        for (int8_t& value : rows) {
          value = static_cast<int8_t>(extreme ? (random() % 2 == 0 ? 127 : -128) : static_cast<int>(random() % 256) - 128);
        }
        const TokenBlocks text(rows, n);
        for (const size_t count : {size_t{0}, size_t{1}, size_t{5}, size_t{8}, size_t{9}, size_t{23}}) {
          const std::vector<int16_t> queries = numbers(count, n, text.stride(), extreme, random);
          for (const SimdLevel& level : levels()) {
            std::vector<float> out(count + 1, -3.0f);
            level.kernels->max_products(queries.data(), count, text.blocks(), text.block_count(), text.stride(), out.data());
            BOOST_TEST(out.back() == -3.0f, name_of(level));
            for (size_t q = 0; q < count; ++q) {
              const float wanted = expected(&queries[q * text.stride()], rows, n);
              if (out[q] != wanted) BOOST_TEST(out[q] == wanted, name_of(level) << " n " << n << " tokens " << tokens << " query " << q);
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
