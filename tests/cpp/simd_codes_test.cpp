#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_codes)

constexpr size_t kDims[] = {1,   2,   3,   7,   8,   15,  16,  17,  31,  33,   50,   63,   64,  65,
                            100, 127, 128, 129, 384, 385, 448, 768, 960, 1024, 1025, 1536, 8192};
constexpr size_t kLine = 64;

size_t padded(size_t n) { return (n + kLine - 1) / kLine * kLine; }

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

// As the contract asks for rows: on a cache line, and exactly as long as they are, so that AddressSanitizer sees a
// kernel that reads past them.
struct AlignedDelete {
  void operator()(uint8_t* bytes) const { ::operator delete (bytes, std::align_val_t{kLine}); }
};
using AlignedBytes = std::unique_ptr<uint8_t, AlignedDelete>;

AlignedBytes aligned_bytes(size_t count) {
  return AlignedBytes(static_cast<uint8_t*>(::operator new (std::max<size_t>(count, 1), std::align_val_t{kLine})));
}

struct Codes {
  std::vector<int8_t> codes;
  int32_t offset = 0;
  float scale = 0;
};

// The guard byte behind the codes must survive.
Codes query_codes(const SimdLevel& level, const float* vector, size_t n) {
  Codes query;
  query.codes.assign(padded(n) + 1, 77);
  query.scale = level.kernels->quantize_query(vector, n, query.codes.data(), &query.offset);
  BOOST_TEST(query.codes.back() == 77, name_of(level) << ", n " << n);
  query.codes.pop_back();
  return query;
}

struct RowCodes {
  std::vector<uint8_t> codes;
  float scale = 0;
};

RowCodes row_codes(const SimdLevel& level, const float* vector, size_t n) {
  RowCodes row;
  row.codes.assign(padded(n) + 1, 77);
  row.scale = level.kernels->quantize_row(vector, n, row.codes.data());
  BOOST_TEST(row.codes.back() == 77, name_of(level) << ", n " << n);
  row.codes.pop_back();
  return row;
}

// Vectors whose rounding, sign, size or emptiness is special.
std::vector<std::vector<float>> vectors_of(size_t n, std::mt19937& random) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  constexpr float kLarge = std::numeric_limits<float>::max();
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> vectors(11, std::vector<float>(n));
  for (size_t i = 0; i < n; ++i) {
    const float sign = i % 2 == 0 ? 1.0f : -1.0f;
    vectors[0][i] = normal(random);
    vectors[1][i] = 0;
    vectors[2][i] = 1;
    vectors[3][i] = sign;
    vectors[4][i] = sign * kTiny;
    vectors[5][i] = sign * kLarge;
    vectors[6][i] = sign * 1e-30f * normal(random);
    vectors[7][i] = i == 0 ? 127.0f : sign * (static_cast<float>(random() % 127) + 0.5f);  // halves
    vectors[8][i] = i == 0 ? kTiny : 0.0f;
    vectors[9][i] = i + 1 == n ? -1.0f : kTiny;
    vectors[10][i] = -0.0f;
  }
  return vectors;
}

BOOST_AUTO_TEST_CASE(codes_are_the_nearest_and_halves_go_to_even) {
  const float vector[] = {127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -126.5f, -127.0f, 0.0f, 0.49f};
  const int expected[] = {127, 0, 2, 2, 0, -2, -126, -127, 0, 0};
  for (const SimdLevel& level : levels()) {
    const Codes query = query_codes(level, vector, std::size(vector));
    const RowCodes row = row_codes(level, vector, std::size(vector));
    BOOST_TEST(query.scale == 1.0f, name_of(level));
    BOOST_TEST(row.scale == 1.0f, name_of(level));
    int sum = 0;
    for (size_t i = 0; i < padded(std::size(vector)); ++i) {
      const int code = i < std::size(vector) ? expected[i] : 0;
      sum += code;
      BOOST_TEST(query.codes[i] == code, name_of(level) << ", code " << i);
      BOOST_TEST(row.codes[i] == 128 + code, name_of(level) << ", code " << i);
    }
    BOOST_TEST(query.offset == 128 * sum, name_of(level));
  }
}

BOOST_AUTO_TEST_CASE(every_level_makes_the_codes_of_the_scalar_one) {
  std::mt19937 random(1);
  const SimdLevel scalar = levels().front();
  for (const size_t n : kDims) {
    for (const std::vector<float>& vector : vectors_of(n, random)) {
      for (size_t offset = 0; offset < 4; ++offset) {  // floats off every wider alignment
        std::vector<float> moved(offset + n);
        std::copy(vector.begin(), vector.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
        const Codes expected = query_codes(scalar, vector.data(), n);
        const RowCodes expected_row = row_codes(scalar, vector.data(), n);
        for (const SimdLevel& level : levels()) {
          const Codes query = query_codes(level, moved.data() + offset, n);
          const RowCodes row = row_codes(level, moved.data() + offset, n);
          BOOST_TEST((query.codes == expected.codes), name_of(level) << ", n " << n);
          BOOST_TEST(query.offset == expected.offset, name_of(level) << ", n " << n);
          BOOST_TEST(bits(query.scale) == bits(expected.scale), name_of(level) << ", n " << n);
          BOOST_TEST((row.codes == expected_row.codes), name_of(level) << ", n " << n);
          BOOST_TEST(bits(row.scale) == bits(expected_row.scale), name_of(level) << ", n " << n);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(rows_and_queries_have_the_same_codes_and_no_row_has_a_zero) {
  std::mt19937 random(2);
  const SimdLevel scalar = levels().front();
  for (const size_t n : kDims) {
    for (const std::vector<float>& vector : vectors_of(n, random)) {
      const Codes query = query_codes(scalar, vector.data(), n);
      const RowCodes row = row_codes(scalar, vector.data(), n);
      BOOST_TEST(bits(query.scale) == bits(row.scale));
      BOOST_TEST(std::isfinite(query.scale));
      int sum = 0;
      for (size_t i = 0; i < padded(n); ++i) {
        BOOST_TEST(row.codes[i] == 128 + query.codes[i]);
        BOOST_TEST(row.codes[i] != 0);
        sum += query.codes[i];
      }
      BOOST_TEST(query.offset == 128 * sum);
    }
  }
}

// A block of rows, and what every kernel must say of it for some queries, computed in 64-bit integers.
struct Block {
  size_t n;
  size_t stride;
  size_t count;
  AlignedBytes rows;
  std::vector<float> scales;
  std::vector<int8_t> queries;
  std::vector<int32_t> offsets;
  std::vector<float> expected;  // of query q and row i: [q * count + i]
};

enum class Fill { random, largest, alternating };

Block make_block(size_t n, size_t stride, size_t count, size_t query_count, Fill fill, std::mt19937& random) {
  Block block{n, stride, count, nullptr, {}, {}, {}, {}};
  const size_t bytes = count == 0 ? 0 : (count - 1) * stride + n;
  block.rows = aligned_bytes(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    block.rows.get()[i] = fill == Fill::random    ? static_cast<uint8_t>(1 + random() % 255)
                          : fill == Fill::largest ? uint8_t{255}
                                                  : static_cast<uint8_t>(i % 2 == 0 ? 255 : 1);
  }
  std::normal_distribution<float> normal;
  for (size_t i = 0; i < count; ++i) block.scales.push_back(normal(random));
  for (size_t q = 0; q < query_count; ++q) {
    int32_t sum = 0;
    for (size_t j = 0; j < n; ++j) {
      const int code = fill == Fill::random    ? static_cast<int>(random() % 255) - 127
                       : fill == Fill::largest ? (q % 2 == 0 ? 127 : -127)
                                               : ((j + q) % 2 == 0 ? 127 : -127);
      block.queries.push_back(static_cast<int8_t>(code));
      sum += code;
    }
    block.offsets.push_back(128 * sum);
    for (size_t i = 0; i < count; ++i) {
      int64_t total = -int64_t{block.offsets[q]};
      for (size_t j = 0; j < n; ++j) total += int64_t{block.rows.get()[i * stride + j]} * block.queries[q * n + j];
      block.expected.push_back(block.scales[i] * static_cast<float>(total));
    }
  }
  return block;
}

constexpr float kUntouched = -12345.0f;

void expect_block(const SimdLevel& level, const Block& block, std::mt19937& random) {
  const size_t queries = block.offsets.size();
  const std::string what = name_of(level) + ", n " + std::to_string(block.n) + ", count " + std::to_string(block.count);
  std::vector<uint32_t> positions(block.count);
  for (uint32_t& position : positions) position = static_cast<uint32_t>(random() % block.count);
  for (size_t q = 0; q < queries; ++q) {
    const int8_t* query = block.queries.data() + q * block.n;
    const float* expected = block.expected.data() + q * block.count;
    std::vector<float> in_rows(block.count + 1, kUntouched);
    std::vector<float> gathered(block.count + 1, kUntouched);
    level.kernels->code_rows(query, block.offsets[q], block.rows.get(), block.stride, block.scales.data(), block.count,
                             block.n, in_rows.data());
    level.kernels->code_gather(query, block.offsets[q], block.rows.get(), block.stride, block.scales.data(),
                               positions.data(), block.count, block.n, gathered.data());
    for (size_t i = 0; i < block.count; ++i) {
      BOOST_TEST(bits(in_rows[i]) == bits(expected[i]), what << ", row " << i);
      BOOST_TEST(bits(gathered[i]) == bits(expected[positions[i]]), what << ", gathered " << i);
    }
    BOOST_TEST(in_rows.back() == kUntouched, what);
    BOOST_TEST(gathered.back() == kUntouched, what);
  }
  std::vector<float> batch(queries * block.count + 1, kUntouched);
  level.kernels->code_rows_batch(block.queries.data(), block.offsets.data(), queries, block.rows.get(), block.stride,
                                 block.scales.data(), block.count, block.n, batch.data());
  for (size_t i = 0; i < queries * block.count; ++i) {
    BOOST_TEST(bits(batch[i]) == bits(block.expected[i]), what << ", batch " << i);
  }
  BOOST_TEST(batch.back() == kUntouched, what);
}

BOOST_AUTO_TEST_CASE(every_level_gives_the_exact_sums_at_every_count) {
  std::mt19937 random(3);
  for (size_t count = 0; count <= 40; ++count) {
    for (const size_t n : {64u, 192u, 384u}) {
      const Block block = make_block(n, n + (count % 3) * kLine, count, count % 7, Fill::random, random);
      for (const SimdLevel& level : levels()) expect_block(level, block, random);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_level_gives_the_exact_sums_at_every_length) {
  std::mt19937 random(4);
  for (size_t n = kLine; n <= 8192; n += n < 1280 ? kLine : 11 * kLine) {
    for (const Fill fill : {Fill::random, Fill::largest, Fill::alternating}) {
      const Block block = make_block(n, n, 19, 5, fill, random);
      for (const SimdLevel& level : levels()) expect_block(level, block, random);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_batch_spans_several_tiles) {
  std::mt19937 random(5);
  const Block block = make_block(384, 384, 301, 9, Fill::random, random);
  for (const SimdLevel& level : levels()) expect_block(level, block, random);
}

// Above 4 MiB, gathers fetch rows in another way.
BOOST_AUTO_TEST_CASE(rows_are_gathered_from_far_apart) {
  std::mt19937 random(8);
  for (const size_t n : {1024u, 8192u}) {
    const Block block = make_block(n, n, (size_t{5} << 20) / n, 1, Fill::random, random);
    for (const SimdLevel& level : levels()) expect_block(level, block, random);
  }
}

// With codes off by at most half a scale, a product is off by |a| s/2 + |b| t/2 + st/4. Rounding of the factor and of
// the result is small beside the one per cent of slack.
BOOST_AUTO_TEST_CASE(the_score_is_near_the_inner_product) {
  std::mt19937 random(6);
  for (const size_t n : kDims) {
    const std::vector<std::vector<float>> vectors = vectors_of(n, random);
    for (const size_t of_query : {0u, 2u, 3u, 7u, 9u}) {
      for (const size_t of_row : {0u, 1u, 2u, 3u, 4u, 7u, 9u}) {
        const std::vector<float>& a = vectors[of_query];
        const std::vector<float>& b = vectors[of_row];
        double exact = 0;
        double sum_a = 0;
        double sum_b = 0;
        for (size_t i = 0; i < n; ++i) {
          exact += double{a[i]} * double{b[i]};
          sum_a += std::abs(double{a[i]});
          sum_b += std::abs(double{b[i]});
        }
        for (const SimdLevel& level : levels()) {
          const Codes query = query_codes(level, a.data(), n);
          const RowCodes row = row_codes(level, b.data(), n);
          const AlignedBytes aligned = aligned_bytes(row.codes.size());
          std::memcpy(aligned.get(), row.codes.data(), row.codes.size());
          float score;
          level.kernels->code_rows(query.codes.data(), query.offset, aligned.get(), padded(n), &row.scale, 1, padded(n),
                                   &score);
          const double s = double{query.scale};
          const double t = double{row.scale};
          const double bound = 1.01 * (sum_a * t / 2 + sum_b * s / 2 + static_cast<double>(n) * s * t / 4);
          const double lost = of_row == 4 ? sum_a * 1e-35 : 0;  // too small for codes
          BOOST_TEST(std::abs(double{score} * s - exact) <= bound + lost, name_of(level) << ", n " << n);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
