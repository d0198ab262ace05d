#include "base/sparse_column.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(sparse_column)

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_map) {
  std::mt19937 random(1);
  SparseColumn<int> column;
  std::map<Slot, int> oracle;
  const auto check = [&] {
    for (Slot slot = 0; slot < 2100; ++slot) {
      const int* found = column.find(slot);
      BOOST_REQUIRE((found == nullptr ? 0 : *found) == (oracle.contains(slot) ? oracle[slot] : 0));
    }
  };
  for (int step = 0; step < 5000; ++step) {
    const auto slot = static_cast<Slot>(random() % 2000);
    if (random() % 2 == 0) {
      oracle[slot] = step + 1;
      column.set(slot, step + 1);
    } else {
      oracle.erase(slot);
      column.reset(slot);
    }
    if (step % 500 == 0) check();
  }
  check();
}

BOOST_AUTO_TEST_CASE(values_far_apart_take_one_block_each) {
  SparseColumn<uint64_t> column;
  column.set(0, 1);
  column.set(100000, 1);
  BOOST_TEST(column.bytes() < 20000u);
  BOOST_TEST(column.find(50000) == nullptr);
  BOOST_TEST(column.find(200000) == nullptr);
  column.reset(200000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
