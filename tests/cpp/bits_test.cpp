#include "base/bits.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(bits)

struct Written {
  uint64_t number;
  unsigned width;  // or order
  bool coded;
};

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  std::mt19937_64 random(1);
  std::vector<uint8_t> memory;  // used again
  for (int round = 0; round < 1'000; ++round) {
    std::vector<Written> numbers;
    BitWriter out(memory);
    size_t bits = 0;
    for (size_t i = random() % 60; i > 0; --i) {
      const uint64_t any = random() >> random() % 64;
      if (random() % 2 == 0) {
        const auto order = static_cast<unsigned>(random() % (kMostOrder + 1));
        const uint64_t number = random() % 20 == 0 ? kMostCoded : any & kMostCoded;
        numbers.push_back({number, order, true});
        out.put_number(number, order);
        bits += 2 * static_cast<size_t>(std::bit_width((number >> order) + 1)) - 1 + order;
      } else {
        const auto width = static_cast<unsigned>(random() % (kBitsAtOnce + 1));
        numbers.push_back({any & ((uint64_t{1} << width) - 1), width, false});
        out.put(numbers.back().number, width);
        bits += width;
      }
    }
    BOOST_REQUIRE(out.bytes().size() == (bits + 7) / 8);
    BitReader in(out.bytes());
    for (const Written& each : numbers) {
      BOOST_REQUIRE((each.coded ? in.get_number(each.width) : in.get(each.width)) == each.number);
    }
  }
}

BOOST_AUTO_TEST_CASE(small_numbers_take_few_bits) {
  std::vector<uint8_t> memory;
  BitWriter out(memory);
  for (uint64_t number = 0; number < 8; ++number) out.put_number(number, 3);  // four each
  for (uint64_t number = 0; number < 8; ++number) out.put_number(0, 0);       // one
  BOOST_TEST(out.bytes().size() == 5u);
}

BOOST_AUTO_TEST_CASE(behind_the_end_there_are_zeros) {
  const std::vector<uint8_t> bytes = {0xFF};
  BitReader in(bytes);
  BOOST_TEST(in.get(12) == 0xFFu);
  BOOST_TEST(in.get(32) == 0u);
  for (unsigned order = 0; order <= kMostOrder; ++order) BOOST_TEST(in.get_number(order) == BitReader::kNone);
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_read) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes(random() % 20);
    for (uint8_t& byte : bytes) byte = random() % 3 == 0 ? static_cast<uint8_t>(random()) : 0;
    BitReader in(bytes);
    for (int i = 0; i < 10; ++i) in.get_number(static_cast<unsigned>(random() % (kMostOrder + 1)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
