#include "base/sort_best.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "base/top_k.hpp"
#include "support/columns.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(sort_best)

BOOST_AUTO_TEST_CASE(equals_a_full_sort_with_many_ties) {
  std::mt19937 random(1);
  std::vector<Candidate> found;
  for (int round = 0; round < 300; ++round) {
    test::Columns columns;
    std::vector<Candidate> all;
    const size_t count = random() % 600;
    const uint32_t scores = round % 2 == 0 ? 3 : 1'000'000;
    for (size_t i = 0; i < count; ++i) {
      const std::string id = "id" + std::to_string(random() % 1000) + "-" + std::to_string(i);
      const Slot slot = columns.add(static_cast<Micros>(random() % 4), id);
      all.push_back({static_cast<float>(random() % scores) - 1.0f, slot});
    }
    const size_t k = 1 + random() % 150;
    found = all;
    memspan::sort_best(found, k, BetterCandidate(columns.recency()));
    std::vector<Candidate> selected;
    TopK best(k, columns.recency(), selected);
    for (const Candidate& candidate : all) {
      if (candidate.score >= best.threshold()) best.offer(candidate.score, candidate.slot);
    }
    best.sort();
    std::sort(all.begin(), all.end(), BetterCandidate(columns.recency()));
    all.resize(std::min(k, all.size()));
    BOOST_REQUIRE(found.size() == all.size());
    BOOST_REQUIRE(selected.size() == all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      BOOST_REQUIRE(found[i].slot == all[i].slot);
      BOOST_REQUIRE(selected[i].slot == all[i].slot);
      BOOST_REQUIRE(found[i].score == all[i].score);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
