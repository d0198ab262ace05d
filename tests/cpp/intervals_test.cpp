#include "timeline/intervals.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(intervals)

bool covers(const std::vector<Interval>& intervals, Micros at) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [at](const Interval& interval) { return interval.start <= at && at < interval.end; });
}

BOOST_AUTO_TEST_CASE(merging_keeps_every_point_and_leaves_gaps) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Interval> given(random() % 8);
    for (Interval& interval : given) {
      interval.start = static_cast<Micros>(random() % 40);
      interval.end = interval.start + static_cast<Micros>(random() % 10);
    }
    const std::vector<Interval> merged = merge_intervals(given);
    for (Micros at = -1; at <= 51; ++at) {
      const bool inside = covers(given, at);
      BOOST_REQUIRE(covers(merged, at) == inside);
      const Interval* found = find_interval(merged, at);
      BOOST_REQUIRE((found != nullptr) == inside);
      if (found != nullptr) BOOST_REQUIRE((found->start <= at && at < found->end));
    }
    for (size_t i = 0; i < merged.size(); ++i) {
      BOOST_REQUIRE(merged[i].start < merged[i].end);
      if (i > 0) BOOST_REQUIRE(merged[i - 1].end < merged[i].start);
    }
  }
}

BOOST_AUTO_TEST_CASE(touching_and_doubled_intervals_become_one) {
  const std::vector<Interval> given = {{5, 9}, {1, 3}, {3, 5}, {1, 3}};
  BOOST_TEST((merge_intervals(given) == std::vector<Interval>{{1, 9}}));
}

BOOST_AUTO_TEST_CASE(unbounded_ends_swallow_what_they_reach) {
  const Interval everything;
  const std::vector<Interval> given = {{10, 20}, everything, {-5, 3}};
  BOOST_TEST((merge_intervals(given) == std::vector<Interval>{everything}));
  const Interval until_ten{everything.start, 10};
  const Interval from_twelve{12, everything.end};
  const std::vector<Interval> halves = {from_twelve, until_ten};
  const std::vector<Interval> merged = merge_intervals(halves);
  BOOST_TEST((merged == std::vector<Interval>{until_ten, from_twelve}));
  BOOST_TEST(find_interval(merged, 9) == &merged[0]);
  BOOST_TEST(find_interval(merged, 10) == nullptr);
  BOOST_TEST(find_interval(merged, 12) == &merged[1]);
  BOOST_TEST(find_interval(merged, kMaxTime) == &merged[1]);
  BOOST_TEST(find_interval(merged, kMinTime) == &merged[0]);
}

BOOST_AUTO_TEST_CASE(empty_intervals_hold_nothing) {
  const std::vector<Interval> given = {{7, 7}, {9, 2}};
  BOOST_TEST(merge_intervals(given).empty());
  BOOST_TEST(find_interval({}, 7) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
