#include "base/id_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(id_table)

struct Fixture {
  IdTable table;
  std::map<std::string, Slot> oracle;
  std::mt19937 random{1};

  Slot add(const std::string& id) { return oracle[id] = table.add(id, IdTable::hash(id)); }
  void remove(const std::string& id) {
    table.remove(oracle.at(id));
    oracle.erase(id);
  }
  void check() const {
    BOOST_REQUIRE(table.size() == oracle.size());
    std::set<Slot> slots;
    for (const auto& [id, slot] : oracle) {
      BOOST_REQUIRE(table.find(id) == slot);
      BOOST_REQUIRE(table[slot] == id);
      BOOST_REQUIRE(slot < table.slots());
      BOOST_REQUIRE(slots.insert(slot).second);
    }
  }
};

BOOST_FIXTURE_TEST_CASE(random_changes_equal_those_of_a_map, Fixture) {
  size_t most = 0;
  for (int step = 0; step < 40000; ++step) {
    const std::string id = "id " + std::to_string(random() % 3000) + std::string(random() % 2 * (random() % 500), 'x');
    if (oracle.contains(id)) {
      remove(id);
      BOOST_REQUIRE(table.find(id) == kNoSlot);
    } else {
      BOOST_REQUIRE(table.find(id) == kNoSlot);
      add(id);
    }
    most = std::max(most, oracle.size());
    if (step % 1000 == 0) check();
  }
  check();
  BOOST_TEST(table.slots() == most);  // every freed slot was used before a new one
}

BOOST_FIXTURE_TEST_CASE(a_freed_slot_is_the_next_one, Fixture) {
  for (const char* id : {"a", "b", "c", "d"}) add(id);
  remove("b");
  remove("d");
  BOOST_TEST(add("e") == 3u);
  BOOST_TEST(add("f") == 1u);
  BOOST_TEST(add("g") == 4u);
  check();
}

BOOST_FIXTURE_TEST_CASE(an_id_costs_little_beside_its_bytes, Fixture) {
  for (int i = 0; i < 50000; ++i) add("0a1b2c3d-0000-4000-8000-" + std::to_string(100000000000 + i));
  BOOST_TEST(table.bytes() < 50000u * (36 + 30));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
