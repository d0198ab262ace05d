#include "timeline/timeline.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "support/columns.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(timeline)

std::vector<Slot> slots_of(const Timeline& timeline) {
  std::vector<Slot> slots;
  for (const Timeline::Entry& entry : timeline.entries()) slots.push_back(entry.slot());
  return slots;
}

std::vector<Slot> slots_within(const Timeline& timeline, const Interval& interval) {
  std::vector<Slot> slots;
  for (const Timeline::Entry& entry : timeline.within(interval)) slots.push_back(entry.slot());
  return slots;
}

// Keeps a timeline and the slots that should be in it.
struct Fixture {
  test::Columns columns;
  Timeline timeline;
  std::vector<Slot> live;
  std::mt19937 random{1};

  Slot make(Micros at) { return columns.add(at, std::to_string(random() % 100000) + "-" + std::to_string(columns.ids.slots())); }
  void check() {
    BOOST_REQUIRE(timeline.size() == live.size());
    BOOST_TEST(slots_of(timeline) == columns.in_time_order(live), boost::test_tools::per_element());
    for (const Timeline::Entry& entry : timeline.entries()) BOOST_REQUIRE(entry.at() == columns.ats[entry.slot()]);
  }
};

BOOST_FIXTURE_TEST_CASE(random_changes_keep_the_order, Fixture) {
  for (int step = 0; step < 3000; ++step) {
    const auto choice = random() % 10;
    if (choice < 5) {
      live.push_back(make(static_cast<Micros>(random() % 50)));
      timeline.insert(live.back(), columns.recency());
    } else if (choice < 9 && !live.empty()) {
      const size_t victim = random() % live.size();
      timeline.erase(live[victim], columns.recency());
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
    } else {
      std::vector<Slot> batch(random() % 20);
      for (Slot& slot : batch) slot = make(static_cast<Micros>(random() % 50));
      for (const Slot slot : batch) timeline.insert(slot, columns.recency());
      live.insert(live.end(), batch.begin(), batch.end());
    }
    if (step % 50 == 0) check();
  }
  check();
}

BOOST_FIXTURE_TEST_CASE(ids_that_count_up_come_in_their_order_at_one_time, Fixture) {
  const Slot m9 = columns.add(7, "m9");
  const Slot m11 = columns.add(7, "m11");
  const Slot m1 = columns.add(7, "m1");
  const Slot m10 = columns.add(7, "m10");
  const Slot newer = columns.add(8, "a");
  for (Slot slot : {m9, newer, m11, m1, m10}) timeline.insert(slot, columns.recency());
  BOOST_TEST(slots_of(timeline) == (std::vector<Slot>{m1, m9, m10, m11, newer}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(intervals_equal_a_linear_scan, Fixture) {
  for (int i = 0; i < 200; ++i) {
    live.push_back(make(static_cast<Micros>(random() % 60) - 30));
    timeline.insert(live.back(), columns.recency());
  }
  for (int round = 0; round < 500; ++round) {
    Interval interval;
    if (random() % 4 != 0) interval.start = static_cast<Micros>(random() % 80) - 40;
    if (random() % 4 != 0) interval.end = static_cast<Micros>(random() % 80) - 40;
    std::vector<Slot> inside;
    for (const Timeline::Entry& entry : timeline.entries()) {
      if (interval.start <= entry.at() && entry.at() < interval.end) inside.push_back(entry.slot());
    }
    BOOST_REQUIRE(slots_within(timeline, interval) == inside);
  }
}

BOOST_FIXTURE_TEST_CASE(intervals_reach_the_first_and_last_time, Fixture) {
  for (const Micros at : {kMinTime, Micros{0}, kMaxTime}) {
    live.push_back(make(at));
    timeline.insert(live.back(), columns.recency());
  }
  check();
  using Slots = std::vector<Slot>;
  BOOST_TEST((slots_within(timeline, {}) == Slots{0, 1, 2}));
  BOOST_TEST((slots_within(timeline, {kMinTime, kMaxTime}) == Slots{0, 1}));
  BOOST_TEST((slots_within(timeline, {kMinTime + 1, kForever}) == Slots{1, 2}));
  BOOST_TEST((slots_within(timeline, {0, 1}) == Slots{1}));
  BOOST_TEST((slots_within(timeline, {1, kMaxTime}) == Slots{}));
}

BOOST_FIXTURE_TEST_CASE(an_empty_timeline_has_empty_intervals, Fixture) {
  BOOST_TEST(slots_within(timeline, {}).empty());
  BOOST_TEST(timeline.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
