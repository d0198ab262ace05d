#include "lexical/departures.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(departures)

std::vector<Slot> slots_of(std::span<const Posting> postings) {
  std::vector<Slot> slots;
  for (const Posting& each : postings) slots.push_back(each.slot());
  return slots;
}

std::vector<Posting> postings_of(const std::vector<Slot>& slots) {
  std::vector<Posting> postings;
  for (const Slot slot : slots) postings.emplace_back(slot, 1, 10);
  return postings;
}

struct Fixture {
  Fixture() { departures.make_room(1000); }
  void leave(Slot first, Slot last) {
    for (Slot slot = first; slot < last; ++slot) departures.leave(slot);
  }
  std::vector<Slot> finish() {
    std::vector<Slot> freed;
    departures.finish([&](Slot slot) { freed.push_back(slot); });
    return freed;
  }
  Departures departures;
};

BOOST_FIXTURE_TEST_CASE(a_sweep_is_due_when_a_share_of_the_slots_rests, Fixture) {
  leave(0, 15);
  BOOST_TEST(!departures.due(100));
  leave(15, 16);
  BOOST_TEST(departures.due(100));
  BOOST_TEST(!departures.due(1000));
  leave(16, 1000 / Departures::kShare);
  BOOST_TEST(departures.due(1000));
}

BOOST_FIXTURE_TEST_CASE(only_what_rested_before_a_sweep_is_freed_by_it, Fixture) {
  leave(100, 116);
  departures.begin(8000);
  BOOST_TEST(departures.sweeping());
  BOOST_TEST(departures.share() == 8000u * Departures::kPace / 16 + 1);
  leave(90, 91);
  leave(200, 201);
  const std::vector<Slot> freed = finish();
  BOOST_TEST(freed.size() == 16u);
  BOOST_TEST(freed.front() == 115u);
  BOOST_TEST(freed.back() == 100u);
  BOOST_TEST(!departures.sweeping());
  departures.begin(1);
  BOOST_TEST(finish() == (std::vector<Slot>{200, 90}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(terms_that_a_sweep_has_passed_are_known, Fixture) {
  departures.begin(1);
  departures.place() = {5, 70};
  BOOST_TEST(departures.was_swept(4));
  BOOST_TEST(!departures.was_swept(5));
  finish();
  BOOST_TEST(!departures.was_swept(4));
}

BOOST_FIXTURE_TEST_CASE(merging_leaves_out_what_rests_and_keeps_the_order, Fixture) {
  for (const Slot slot : {3u, 20u, 21u, 50u}) departures.leave(slot);
  const std::vector<Posting> block = postings_of({1, 3, 10, 20, 30, 64, 900});
  const std::vector<Slot> without = {1, 10, 30, 64, 900};
  BOOST_TEST(slots_of(departures.merge(block, {})) == without, boost::test_tools::per_element());
  const std::vector<Slot> both = {0, 1, 10, 22, 30, 64, 65, 900, 999};
  BOOST_TEST(slots_of(departures.merge(block, postings_of({0, 21, 22, 50, 65, 999}))) == both, boost::test_tools::per_element());
  BOOST_TEST(departures.merge(postings_of({3, 20}), postings_of({21})).empty());
}

BOOST_FIXTURE_TEST_CASE(blocks_without_a_resting_slot_are_known, Fixture) {
  departures.leave(200);
  const auto alive = [&](Slot first, const std::vector<Slot>& slots) {
    return departures.all_alive(first, postings_of(slots));
  };
  BOOST_TEST(alive(0, {1, 199}));
  BOOST_TEST(!alive(0, {1, 200}));
  BOOST_TEST(!alive(150, {151, 250}));
  BOOST_TEST(!alive(200, {220}));
  BOOST_TEST(alive(201, {220}));
  BOOST_TEST(alive(201, {999}));
}

BOOST_FIXTURE_TEST_CASE(a_tail_is_cut_by_slots, Fixture) {
  departures.cover(0);
  for (const Slot slot : {5u, 9u, 40u, 41u}) departures.tail(0).insert(Posting(slot, 1, 10));
  const auto between = [&](Slot first, Slot below) { return slots_of(departures.tail_between(0, first, below)); };
  BOOST_TEST(between(0, kNoSlot).size() == 4u);
  BOOST_TEST(between(9, 41) == (std::vector<Slot>{9, 40}), boost::test_tools::per_element());
  BOOST_TEST(between(42, kNoSlot).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
