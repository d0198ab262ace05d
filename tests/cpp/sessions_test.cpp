#include "timeline/sessions.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "support/columns.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(sessions)

BOOST_AUTO_TEST_CASE(random_changes_keep_each_session_in_the_order_of_time) {
  std::mt19937 random(1);
  test::Columns columns;
  Sessions sessions;
  std::map<StringPool::Symbol, std::vector<Slot>> oracle;
  for (int step = 0; step < 3000; ++step) {
    const auto session = static_cast<StringPool::Symbol>(random() % 6);
    std::vector<Slot>& slots = oracle[session];
    if (slots.empty() || random() % 5 < 3) {
      const Slot slot = columns.add(static_cast<Micros>(random() % 20), "r" + std::to_string(random()) + "-" + std::to_string(step));
      sessions.insert(session, slot, columns.recency());
      slots.push_back(slot);
    } else {
      const size_t victim = random() % slots.size();
      sessions.erase(session, slots[victim], columns.recency());
      slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    slots = columns.in_time_order(slots);
    const Sessions::Turns& records = sessions.turns(session);
    BOOST_REQUIRE(std::equal(records.begin(), records.end(), slots.begin(), slots.end()));
    for (const Slot slot : slots) BOOST_REQUIRE(*sessions.find(session, slot, columns.recency()) == slot);
  }
  size_t inhabited = 0;
  for (const auto& [session, slots] : oracle) inhabited += !slots.empty();
  BOOST_TEST(sessions.size() == inhabited);
}

BOOST_AUTO_TEST_CASE(records_without_a_session_are_ignored) {
  test::Columns columns;
  const Slot slot = columns.add(1, "a");
  Sessions sessions;
  sessions.insert(StringPool::kNone, slot, columns.recency());
  BOOST_TEST(sessions.turns(StringPool::kNone).empty());
  sessions.erase(StringPool::kNone, slot, columns.recency());
  BOOST_TEST(sessions.size() == 0u);
}

BOOST_AUTO_TEST_CASE(an_emptied_session_vanishes) {
  test::Columns columns;
  const Slot slot = columns.add(1, "a");
  Sessions sessions;
  sessions.insert(3, slot, columns.recency());
  BOOST_TEST(sessions.size() == 1u);
  sessions.erase(3, slot, columns.recency());
  BOOST_TEST(sessions.size() == 0u);
  BOOST_TEST(sessions.turns(3).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
