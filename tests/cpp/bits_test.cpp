#include "base/bits.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <utility>
#include <vector>

namespace memspan {
namespace {

constexpr unsigned kGamma = ~0u;  // instead of a width

BOOST_AUTO_TEST_SUITE(bits)

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<uint64_t, unsigned>> numbers;
    std::vector<uint8_t> bytes;
    BitWriter out(bytes);
    size_t bits = 0;
    for (size_t i = random() % 60; i > 0; --i) {
      const auto width = static_cast<unsigned>(random() % (kMostBits + 1));
      const uint64_t number = width == 0 ? 0 : random() >> (64 - width);
      if (random() % 2 == 0 && number > 0) {
        numbers.emplace_back(number, kGamma);
        out.put_gamma(number);
        bits += 2 * static_cast<size_t>(std::bit_width(number)) - 1;
      } else {
        numbers.emplace_back(number, width);
        out.put(number, width);
        bits += width;
      }
    }
    out.finish();
    BOOST_REQUIRE(bytes.size() == (bits + 7) / 8);
    BitReader in(bytes);
    for (const auto& [number, width] : numbers) BOOST_REQUIRE((width == kGamma ? in.get_gamma() : in.get(width)) == number);
  }
}

BOOST_AUTO_TEST_CASE(behind_the_end_there_are_zeros) {
  const std::vector<uint8_t> bytes = {0xFF};
  BitReader in(bytes);
  BOOST_TEST(in.get(12) == 0xFFu);
  BOOST_TEST(in.get(32) == 0u);
  BOOST_TEST(in.get_gamma() == 0u);
}

BOOST_AUTO_TEST_CASE(too_many_zeros_are_no_gamma_number) {
  std::vector<uint8_t> bytes;
  BitWriter out(bytes);
  out.put(0, 32);
  out.put(0xFFFFFFFF, 32);
  out.finish();
  BOOST_TEST(BitReader(bytes).get_gamma() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
