#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_bits)

BOOST_AUTO_TEST_CASE(every_level_counts_every_bit) {
  std::mt19937_64 random(1);
  for (size_t count = 0; count <= 200; ++count) {
    // Exactly as long as the words, so that AddressSanitizer sees a kernel that reads past them.
    std::vector<uint64_t> some(count);
    size_t expected = 0;
    for (uint64_t& word : some) {
      word = random();
      expected += static_cast<size_t>(std::popcount(word));
    }
    const std::vector<uint64_t> all(count, ~uint64_t{0});
    for (const SimdLevel& level : levels()) {
      BOOST_TEST(level.kernels->count_ones(some.data(), count) == expected, name_of(level) << ", count " << count);
      BOOST_TEST(level.kernels->count_ones(all.data(), count) == 64 * count, name_of(level) << ", count " << count);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_bit_counts_alone) {
  for (size_t bit = 0; bit < 64 * 9; ++bit) {
    std::vector<uint64_t> words(9, 0);
    words[bit / 64] = uint64_t{1} << (bit % 64);
    for (const SimdLevel& level : levels()) {
      BOOST_TEST(level.kernels->count_ones(words.data(), words.size()) == 1u, name_of(level) << ", bit " << bit);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_level_marks_the_values_that_are_equal) {
  std::mt19937_64 random(2);
  for (size_t count = 0; count <= 9; ++count) {
    for (const uint16_t wanted : std::initializer_list<uint16_t>{0, 1, 0x7fff, 0x8000, 0xffff}) {
      std::vector<uint16_t> values(64 * count);  // exactly as long, too
      // Near the wanted one in one byte or the other, so that a kernel that compares bytes is found out.
      constexpr std::array<uint16_t, 3> kDifferences = {0, 1, 0x100};
      for (uint16_t& value : values) value = static_cast<uint16_t>(wanted ^ kDifferences[random() % 3]);
      std::vector<uint64_t> before(count);
      for (uint64_t& word : before) word = random() & random();
      std::vector<uint64_t> expected = before;
      for (size_t i = 0; i < values.size(); ++i) expected[i / 64] |= uint64_t{values[i] == wanted} << (i % 64);
      for (const SimdLevel& level : levels()) {
        std::vector<uint64_t> words = before;
        level.kernels->mark_equal(values.data(), wanted, words.data(), count);
        BOOST_TEST(words == expected, name_of(level) << ", count " << count << ", wanted " << wanted);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_level_marks_the_values_in_a_range) {
  std::mt19937_64 random(3);
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const std::vector<uint64_t> ends = {0, 1, 2, (uint64_t{1} << 63) - 1, uint64_t{1} << 63, (uint64_t{1} << 63) + 1, kMost - 1, kMost};
  for (size_t count = 0; count <= 3; ++count) {
    std::vector<uint64_t> values(64 * count);
    for (uint64_t& value : values) value = random() % 2 == 0 ? random() : ends[random() % ends.size()];
    for (const uint64_t least : ends) {
      for (const uint64_t most : ends) {  // also where least > most: none is in it
        std::vector<uint64_t> before(count);
        for (uint64_t& word : before) word = random() & random();
        std::vector<uint64_t> expected = before;
        for (size_t i = 0; i < values.size(); ++i) expected[i / 64] |= uint64_t{least <= values[i] && values[i] <= most} << (i % 64);
        for (const SimdLevel& level : levels()) {
          std::vector<uint64_t> words = before;
          level.kernels->mark_within(values.data(), least, most, words.data(), count);
          BOOST_TEST(words == expected, name_of(level) << ", count " << count << ", " << least << " to " << most);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
