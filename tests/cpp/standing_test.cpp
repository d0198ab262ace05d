#include "attributes/standing.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(standing)

std::set<Slot> expired(const Standing& standing, Micros now) {
  std::set<Slot> found;
  standing.for_each_expired(now, [&](Slot slot) { BOOST_TEST(found.insert(slot).second); });
  return found;
}

BOOST_AUTO_TEST_CASE(empty_without_records_that_end) {
  Standing standing;
  standing.add(7, kForever, kForever);
  BOOST_TEST(standing.empty());
  BOOST_TEST(!standing.retired(7));
  BOOST_TEST(!standing.any_expired(kMaxTime));
  BOOST_TEST(standing.bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_record_expires_at_its_time_and_not_before) {
  Standing standing;
  standing.add(3, kForever, 100);
  standing.add(1, kForever, 100);
  standing.add(2, kForever, 50);
  BOOST_TEST(!standing.any_expired(49));
  BOOST_TEST(expired(standing, 50) == (std::set<Slot>{2}));
  BOOST_TEST(expired(standing, 99) == (std::set<Slot>{2}));
  BOOST_TEST(expired(standing, 100) == (std::set<Slot>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(retired_records_as_words) {
  Standing standing;
  standing.add(5, 1, kForever);
  standing.add(200, 1, kForever);
  BOOST_TEST(standing.retired_word(0) == uint64_t{1} << 5);
  BOOST_TEST(standing.retired_word(1) == 0u);
  BOOST_TEST(standing.retired_word(3) == uint64_t{1} << 8);
  BOOST_TEST(standing.retired_word(1000) == 0u);
}

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_map) {
  std::mt19937 random(1);
  Standing standing;
  std::map<Slot, std::pair<Micros, Micros>> oracle;
  const auto check = [&] {
    size_t retired = 0;
    size_t expiring = 0;
    std::set<Slot> gone;
    for (const auto& [slot, times] : oracle) {
      retired += times.first != kForever;
      expiring += times.second != kForever;
      if (times.second <= 50) gone.insert(slot);
      BOOST_REQUIRE(standing.retired(slot) == (times.first != kForever));
    }
    BOOST_REQUIRE(standing.retired_count() == retired);
    BOOST_REQUIRE(standing.expiring_count() == expiring);
    BOOST_REQUIRE(standing.empty() == (retired + expiring == 0));
    BOOST_REQUIRE(standing.any_expired(50) == !gone.empty());
    BOOST_REQUIRE(expired(standing, 50) == gone);
  };
  for (int step = 0; step < 4000; ++step) {
    const auto slot = static_cast<Slot>(random() % 700);
    if (const auto found = oracle.find(slot); found != oracle.end()) {
      standing.remove(slot, found->second.first, found->second.second);
      oracle.erase(found);
    } else {
      const Micros retired_at = random() % 2 == 0 ? kForever : static_cast<Micros>(random() % 100);
      const Micros expires_at = random() % 2 == 0 ? kForever : static_cast<Micros>(random() % 100);
      standing.add(slot, retired_at, expires_at);
      oracle[slot] = {retired_at, expires_at};
    }
    if (step % 100 == 0) check();
  }
  check();
  for (const auto& [slot, times] : std::map(oracle)) {
    standing.remove(slot, times.first, times.second);
    oracle.erase(slot);
  }
  check();
}

BOOST_AUTO_TEST_CASE(the_clock_is_that_of_our_time) {
  const Micros now = wall_clock();
  BOOST_TEST(now > 1'700'000'000'000'000);
  BOOST_TEST(now < kMaxTime);
  BOOST_TEST(wall_clock() >= now - 1'000'000);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
