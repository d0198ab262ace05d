#include "attributes/time_bounds.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(time_bounds)

constexpr Slot kFirst = TimeBounds::kLookedAt;

BOOST_AUTO_TEST_CASE(nothing_is_kept_of_the_first_slots) {
  TimeBounds bounds;
  Bitset live;
  live.resize(kFirst);
  live.set(kFirst - 1);
  bounds.add(kFirst - 1, {1, 2, 3});
  bounds.remove(kFirst - 1, {1, 2, 3}, live, [](Slot) { return TimeBounds::Times{}; });
  BOOST_TEST(bounds.find((kFirst - 1) / 64) == nullptr);
  BOOST_TEST(bounds.find(kFirst / 64) == nullptr);
  BOOST_TEST(bounds.bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(only_retired_records_bound_the_retired) {
  TimeBounds bounds;
  bounds.add(kFirst, {5, 50, kForever});
  bounds.add(kFirst + 1, {4, 60, 70});
  const TimeBounds::Group* const group = bounds.find(kFirst / 64);
  BOOST_REQUIRE(group != nullptr);
  BOOST_TEST(group->at.first == 4);
  BOOST_TEST(group->at.last == 5);
  BOOST_TEST(group->recorded_at.first == 50);
  BOOST_TEST(group->recorded_at.last == 60);
  BOOST_TEST(group->retired_at.first == 70);
  BOOST_TEST(group->retired_at.last == 70);
}

BOOST_AUTO_TEST_CASE(random_changes_leave_exact_bounds) {
  std::mt19937 random(7);
  TimeBounds bounds;
  Bitset live;
  live.resize(kFirst + 200);
  std::map<Slot, TimeBounds::Times> oracle;
  for (int step = 0; step < 5000; ++step) {
    const auto slot = static_cast<Slot>(kFirst + random() % 200);
    if (const auto found = oracle.find(slot); found != oracle.end()) {
      bounds.remove(slot, found->second, live, [&](Slot other) { return oracle.at(other); });
      oracle.erase(found);
      live.reset(slot);
    } else {
      const auto time = [&] { return static_cast<Micros>(random() % 40); };
      const TimeBounds::Times times = {time(), time(), random() % 2 == 0 ? kForever : time()};
      bounds.add(slot, times);
      oracle.emplace(slot, times);
      live.set(slot);
    }
    TimeBounds::Group expected;
    const size_t word = slot / 64;
    for (const auto& [other, times] : oracle) {
      if (other / 64 == word) expected.take(times);
    }
    const TimeBounds::Group* const group = bounds.find(word);
    BOOST_REQUIRE(group != nullptr);
    BOOST_TEST(group->at.first == expected.at.first);
    BOOST_TEST(group->at.last == expected.at.last);
    BOOST_TEST(group->recorded_at.first == expected.recorded_at.first);
    BOOST_TEST(group->recorded_at.last == expected.recorded_at.last);
    BOOST_TEST(group->retired_at.first == expected.retired_at.first);
    BOOST_TEST(group->retired_at.last == expected.retired_at.last);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
