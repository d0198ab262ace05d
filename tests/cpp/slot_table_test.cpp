#include "base/slot_table.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <unordered_map>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(slot_table)

// In the array and in the places, and from one to the other.
BOOST_AUTO_TEST_CASE(equals_a_map) {
  std::mt19937 random(1);
  SlotTable table;
  for (int round = 0; round < 200; ++round) {
    const size_t count = random() % 100;
    const size_t slots = 1 + random() % 2000;
    if (random() % 4 == 0) {
      table.start(count);
    } else {
      table.start(count, slots);
    }
    std::unordered_map<Slot, uint32_t> oracle;
    for (uint32_t i = 0; i < 3 * count; ++i) {
      const auto slot = static_cast<Slot>(random() % slots);
      const uint32_t known = oracle.emplace(slot, i).first->second;
      BOOST_REQUIRE(table.find_or_add(slot, i) == known);
    }
    for (Slot slot = 0; slot < slots; ++slot) {
      const auto known = oracle.find(slot);
      BOOST_REQUIRE(table.find(slot) == (known == oracle.end() ? SlotTable::kAbsent : known->second));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
