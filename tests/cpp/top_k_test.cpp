#include "base/top_k.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "support/columns.hpp"
#include "support/recency.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(top_k)

std::vector<Slot> slots_of(const std::vector<Candidate>& candidates) {
  std::vector<Slot> slots;
  for (const Candidate& candidate : candidates) slots.push_back(candidate.slot);
  return slots;
}

BOOST_AUTO_TEST_CASE(equals_a_full_sort_with_many_ties) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    test::Columns columns;
    std::vector<Candidate> all;
    const size_t count = random() % 300;
    for (size_t i = 0; i < count; ++i) {
      // Few distinct scores and times: most decisions fall on the time or the id.
      const Slot slot = columns.add(static_cast<Micros>(random() % 4), "id" + std::to_string(random() % 1000) + "-" + std::to_string(i));
      all.push_back({static_cast<float>(random() % 3) - 1.0f, slot});
    }
    const size_t k = 1 + random() % 60;
    TopK best(k, columns.recency());
    for (const Candidate& candidate : all) best.offer(candidate.score, candidate.slot);
    std::sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      if (a.score != b.score) return a.score > b.score;
      const auto newness = [&](Slot slot) { return test::newness(columns.ats[slot], columns.ids[slot]); };
      return newness(a.slot) > newness(b.slot);
    });
    all.resize(std::min(k, all.size()));
    BOOST_TEST(slots_of(best.take()) == slots_of(all), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_offers_does_not_matter) {
  test::Columns columns;
  for (int i = 0; i < 20; ++i) columns.add(i / 5, "r" + std::to_string(i));
  std::vector<Slot> order(20);
  for (Slot slot = 0; slot < 20; ++slot) order[slot] = slot;
  std::mt19937 random(2);
  std::vector<Slot> first;
  for (int round = 0; round < 50; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    TopK best(7, columns.recency());
    for (Slot slot : order) best.offer(1.0f, slot);
    const std::vector<Slot> slots = slots_of(best.take());
    if (round == 0) first = slots;
    BOOST_TEST(slots == first, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(threshold_rises_only_when_full) {
  test::Columns columns;
  for (int i = 0; i < 4; ++i) columns.add(i, std::to_string(i));
  TopK best(2, columns.recency());
  best.offer(5.0f, 0);
  BOOST_TEST(best.threshold() < -1e30f);
  best.offer(-7.0f, 1);
  BOOST_TEST(best.threshold() == -7.0f);
  best.offer(6.0f, 2);
  BOOST_TEST(best.threshold() == 5.0f);
  best.offer(4.0f, 3);
  BOOST_TEST(best.threshold() == 5.0f);
}

BOOST_AUTO_TEST_CASE(taking_leaves_it_ready_for_more) {
  test::Columns columns;
  for (int i = 0; i < 2; ++i) columns.add(i, std::to_string(i));
  TopK best(1, columns.recency());
  best.offer(9.0f, 0);
  BOOST_TEST(best.take().size() == 1u);
  BOOST_TEST(best.take().empty());
  best.offer(1.0f, 1);
  BOOST_TEST(slots_of(best.take()) == std::vector<Slot>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
