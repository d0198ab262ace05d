#include "index/use_order.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(use_order)

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_map) {
  std::mt19937 random(11);
  UseOrder order;
  std::map<uint32_t, uint64_t> filed;  // use by row
  uint64_t now = 0;
  const auto first_use = [&] {
    uint64_t first = ~uint64_t{0};
    for (const auto& [row, use] : filed) first = std::min(first, use);
    return first;
  };
  for (int step = 0; step < 20000; ++step) {
    const auto row = static_cast<uint32_t>(random() % 60);
    now += random() % 2;  // some are the same
    order.reserve(row + size_t{1});
    if (!filed.contains(row)) {
      if (random() % 4 == 0 && !filed.empty()) {
        const uint32_t from = filed.begin()->first;
        order.renumber(from, row);
        filed[row] = filed[from];
        filed.erase(from);
      } else {
        order.add(row, now);
        filed[row] = now;
      }
    } else if (random() % 2 == 0) {
      order.remove(row);
      filed.erase(row);
    }
    BOOST_REQUIRE(order.contains(row) == filed.contains(row));
    BOOST_REQUIRE(order.size() == filed.size());
    if (filed.empty()) continue;
    BOOST_REQUIRE(order.first_use() == first_use());
    BOOST_REQUIRE(filed.at(order.first()) == order.first_use());
    if (random() % 2 == 0) {
      filed[order.first()] = now;
      order.file_first(now);
      BOOST_REQUIRE(order.first_use() == first_use());
    }
  }
  BOOST_TEST(!order.contains(1000));
}

BOOST_AUTO_TEST_CASE(a_row_without_an_entry_may_be_renumbered) {
  UseOrder order;
  order.reserve(3);
  order.add(0, 5);
  order.renumber(2, 1);
  BOOST_TEST(!order.contains(1));
  order.renumber(0, 2);
  BOOST_TEST(order.first() == 2u);
  BOOST_TEST(order.bytes() >= 3 * sizeof(uint32_t));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
