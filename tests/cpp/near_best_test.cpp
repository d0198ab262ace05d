#include "vectors/near_best.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(near_best)

// Whatever the order of the offers, every item within the margin of the k-th best stays.
BOOST_AUTO_TEST_CASE(keeps_all_that_may_matter) {
  std::mt19937 random(1);
  NearBest near;
  for (const size_t k : {1u, 7u, 16u, 17u, 200u}) {
    for (const float margin : {0.0f, 0.05f, 10.0f}) {
      std::vector<float> scores;
      for (int i = 0; i < 3000; ++i) scores.push_back(static_cast<float>(random() % 2000) / 1000.0f - 1.0f);
      near.reset(k, margin);
      for (Slot i = 0; i < scores.size(); ++i) near.offer(scores[i], i);
      near.settle();
      const float settled = near.kth();
      near.prune();
      std::vector<float> sorted = scores;
      std::sort(sorted.rbegin(), sorted.rend());
      const float least = sorted[k - 1] - margin;
      BOOST_TEST(near.kth() == sorted[k - 1]);
      BOOST_TEST(settled == sorted[k - 1]);
      size_t wanted = 0;
      for (float score : scores) wanted += score >= least;
      BOOST_TEST(near.items().size() == wanted);
      for (const Candidate& item : near.items()) BOOST_TEST(scores[item.slot] == item.score);
    }
  }
}

// The first offers may come together: then what follows finds the same as if they had come one by one.
BOOST_AUTO_TEST_CASE(first_offers_at_once_equal_single_ones) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const size_t k = random() % 20;
    const float margin = static_cast<float>(random() % 3) * 0.1f;
    const uint32_t values = round % 2 == 0 ? 5 : 100'000;
    std::vector<float> scores(random() % 150);
    std::vector<Slot> slots;
    for (float& score : scores) {
      score = static_cast<float>(random() % values) / static_cast<float>(values);
      slots.push_back(static_cast<Slot>(slots.size()));
    }
    const size_t at_once = std::min<size_t>(scores.size(), random() % (NearBest::kFirst + 1));
    NearBest single, together;
    single.reset(k, margin);
    together.reset(k, margin);
    for (Slot i = 0; i < at_once; ++i) single.offer(scores[i], i);
    together.offer_first(scores.data(), slots.data(), at_once);
    single.settle();
    together.settle();
    BOOST_REQUIRE(together.kth() == single.kth());
    BOOST_REQUIRE(together.threshold() == single.threshold());
    for (Slot i = static_cast<Slot>(at_once); i < scores.size(); ++i) {
      single.offer(scores[i], i);
      together.offer(scores[i], i);
    }
    single.prune();
    together.prune();
    BOOST_REQUIRE(together.kth() == single.kth());
    const auto ordered = [](std::span<const Candidate> items) {
      std::vector<std::pair<Slot, float>> all;
      for (const Candidate& item : items) all.emplace_back(item.slot, item.score);
      std::sort(all.begin(), all.end());
      return all;
    };
    BOOST_REQUIRE(ordered(together.items()) == ordered(single.items()));
  }
}

BOOST_AUTO_TEST_CASE(fewer_than_k_all_stay) {
  NearBest near;
  near.reset(5, 0.0f);
  for (Slot i = 0; i < 4; ++i) near.offer(-1.0f - static_cast<float>(i), i);
  near.prune();
  BOOST_TEST(near.items().size() == 4u);
  BOOST_TEST(near.threshold() == -std::numeric_limits<float>::infinity());
}

BOOST_AUTO_TEST_CASE(none_wanted) {
  NearBest near;
  near.reset(0, 0.1f);
  for (Slot i = 0; i < 200; ++i) near.offer(static_cast<float>(i), i);
  near.settle();
  near.prune();
  BOOST_TEST(near.size() == 200u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
