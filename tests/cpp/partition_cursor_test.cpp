#include "base/partition_cursor.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(partition_cursor)

BOOST_AUTO_TEST_CASE(finds_what_a_binary_search_finds) {
  std::mt19937 random(1);
  for (size_t count = 0; count < 200; ++count) {
    std::vector<uint64_t> items(count);
    for (uint64_t& item : items) item = random() % 100;
    std::sort(items.begin(), items.end());
    for (uint64_t value = 0; value <= 100; ++value) {
      const auto before = [value](uint64_t item) { return item < value; };
      PartitionCursor cursor(std::span<const uint64_t>(items), before);
      size_t steps = 0;
      while (cursor.step()) ++steps;
      BOOST_REQUIRE(cursor.place() == static_cast<size_t>(std::lower_bound(items.begin(), items.end(), value) - items.begin()));
      BOOST_REQUIRE(steps <= 8);
      BOOST_REQUIRE(!cursor.step());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
