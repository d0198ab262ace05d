#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_blocks)

constexpr size_t kBlock = 1024;
constexpr size_t kRows = 16;
constexpr size_t kCodes = 64;

struct AlignedDelete {
  void operator()(uint8_t* bytes) const { ::operator delete (bytes, std::align_val_t{64}); }
};

// One pair at a time, from the contract's own words.
int32_t expected_sum(const int8_t* query, const uint8_t* block, size_t row) {
  int32_t sum = 0;
  for (size_t j = 0; j < kCodes; ++j) sum += block[j / 4 * 64 + 4 * row + j % 4] * query[j];
  return sum;
}

BOOST_AUTO_TEST_CASE(every_level_finds_what_single_comparisons_find) {
  std::mt19937 random(1);
  for (const size_t queries : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{24}}) {
    for (const size_t blocks : {size_t{0}, size_t{1}, size_t{3}, size_t{16}}) {
      for (const bool extreme : {false, true}) {
        const std::unique_ptr<uint8_t, AlignedDelete> rows(
            static_cast<uint8_t*>(::operator new(std::max<size_t>(blocks * kBlock, 1), std::align_val_t{64})));
        for (size_t i = 0; i < blocks * kBlock; ++i) rows.get()[i] = static_cast<uint8_t>(extreme ? 127 : random() % 128);
        std::vector<int8_t> codes(queries * kCodes);
        for (int8_t& code : codes) code = static_cast<int8_t>(extreme ? (random() % 2 ? 63 : -63) : static_cast<int>(random() % 127) - 63);
        std::vector<int32_t> slack(blocks * kRows);
        for (int32_t& value : slack) value = random() % 8 == 0 ? -(1 << 29) : static_cast<int32_t>(random() % 2000);
        std::vector<int32_t> least(queries);
        for (int32_t& value : least) value = static_cast<int32_t>(random() % 40000) - 20000;
        for (const SimdLevel& level : levels()) {
          std::vector<uint16_t> out(queries * blocks + 1, 0xbeef);
          level.kernels->code_blocks(codes.data(), least.data(), queries, rows.get(), slack.data(), blocks, out.data());
          BOOST_TEST(out.back() == 0xbeef, name_of(level));
          for (size_t q = 0; q < queries; ++q) {
            for (size_t b = 0; b < blocks; ++b) {
              for (size_t row = 0; row < kRows; ++row) {
                const bool found = out[q * blocks + b] >> row & 1;
                const bool wanted = expected_sum(codes.data() + q * kCodes, rows.get() + b * kBlock, row) +
                                        slack[b * kRows + row] >= least[q];
                if (found != wanted) BOOST_TEST(false, name_of(level) << " " << queries << " " << blocks << " " << row);
              }
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_of_nibbles_are_those_of_single_products) {
  std::mt19937 random(2);
  for (const size_t n : {size_t{64}, size_t{128}, size_t{256}}) {
    for (const size_t blocks : {size_t{0}, size_t{1}, size_t{3}, size_t{17}}) {
      for (const bool extreme : {false, true}) {
        const size_t bytes = 8 * n;
        const std::unique_ptr<uint8_t, AlignedDelete> rows(
            static_cast<uint8_t*>(::operator new(std::max<size_t>(blocks * bytes, 1), std::align_val_t{64})));
        for (size_t i = 0; i < blocks * bytes; ++i) rows.get()[i] = static_cast<uint8_t>(extreme ? 255 : random() % 256);
        std::vector<int8_t> query(n);
        for (int8_t& code : query) code = static_cast<int8_t>(extreme ? (random() % 8 ? 127 : -127) : static_cast<int>(random() % 255) - 127);
        for (const SimdLevel& level : levels()) {
          std::vector<float> sums(blocks * kRows + 1, -1.5f);
          level.kernels->nibble_block_sums(query.data(), rows.get(), blocks, n, sums.data());
          BOOST_TEST(sums.back() == -1.5f, name_of(level));
          for (size_t i = 0; i < blocks * kRows; ++i) {
            int32_t wanted = 0;
            for (size_t j = 0; j < n; ++j) {
              const int both = rows.get()[i / kRows * bytes + j / 8 * 64 + i % kRows * 4 + j % 4];
              wanted += query[j] * (j % 8 < 4 ? both & 15 : both >> 4);
            }
            if (sums[i] != static_cast<float>(wanted)) BOOST_TEST(false, name_of(level) << " " << n << " " << blocks << " " << i);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
