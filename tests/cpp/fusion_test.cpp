#include "query/fusion.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/columns.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(fusion)

using Lists = CandidateLists;

// Three slots: semantic finds 0, 1, 2; lexical finds 2, 0; symbolic finds 1.
const Lists kLists = {{{{0.9f, 0}, {0.5f, 1}, {0.4f, 2}}, {{8.0f, 2}, {2.0f, 0}}, {{1.0f, 1}}}};

const FusedHit& hit_of(const std::vector<FusedHit>& hits, Slot slot) {
  return *std::find_if(hits.begin(), hits.end(), [slot](const FusedHit& hit) { return hit.slot == slot; });
}

std::vector<FusedHit> fused(const Lists& lists, Fusion fusion, const std::array<float, kViewCount>& weights) {
  SlotTable positions;
  std::vector<FusedHit> hits(3);  // what an earlier search left
  fuse(lists, fusion, weights, 1000, positions, hits);
  return hits;
}

bool close(float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-6; }

BOOST_AUTO_TEST_CASE(reciprocal_ranks) {
  const std::vector<FusedHit> hits = fused(kLists, Fusion::rrf, {1.0f, 2.0f, 0.5f});
  BOOST_TEST(hits.size() == 3u);
  BOOST_TEST(close(hit_of(hits, 0).score, 1.0 / 61 + 2.0 / 62));
  BOOST_TEST(close(hit_of(hits, 1).score, 1.0 / 62 + 0.5 / 61));
  BOOST_TEST(close(hit_of(hits, 2).score, 1.0 / 63 + 2.0 / 61));
}

BOOST_AUTO_TEST_CASE(union_takes_the_best_rank) {
  const std::vector<FusedHit> hits = fused(kLists, Fusion::union_, {1.0f, 1.0f, 1.0f});
  BOOST_TEST(hits.size() == 3u);
  for (Slot slot : {0u, 1u, 2u}) BOOST_TEST(hit_of(hits, slot).score == 1.0f);
  const Lists one_view = {{{{0.9f, 0}, {0.5f, 1}, {0.4f, 2}}, {}, {}}};
  BOOST_TEST(hit_of(fused(one_view, Fusion::union_, {}), 2).score == 1.0f / 3.0f);
}

BOOST_AUTO_TEST_CASE(weighted_scores_are_scaled_to_one) {
  const std::vector<FusedHit> hits = fused(kLists, Fusion::weighted, {1.0f, 2.0f, 0.5f});
  BOOST_TEST(close(hit_of(hits, 0).score, 1.0 + 0.0));
  BOOST_TEST(close(hit_of(hits, 1).score, 0.2 + 0.5));
  BOOST_TEST(close(hit_of(hits, 2).score, 0.0 + 2.0));
}

BOOST_AUTO_TEST_CASE(equal_scores_all_scale_to_one) {
  const Lists lists = {{{{-0.5f, 0}, {-0.5f, 1}}, {}, {}}};
  for (const FusedHit& hit : fused(lists, Fusion::weighted, {3.0f, 1.0f, 1.0f})) BOOST_TEST(hit.score == 3.0f);
}

BOOST_AUTO_TEST_CASE(every_view_keeps_its_rank) {
  for (const Fusion fusion : {Fusion::rrf, Fusion::union_, Fusion::weighted}) {
    const std::vector<FusedHit> hits = fused(kLists, fusion, {1.0f, 1.0f, 1.0f});
    const FusedHit& hit = hit_of(hits, 2);
    BOOST_TEST(hit.ranks[0] == 3u);
    BOOST_TEST(hit.ranks[1] == 1u);
    BOOST_TEST(hit.ranks[2] == 0u);
  }
}

BOOST_AUTO_TEST_CASE(nothing_in_nothing_out) { BOOST_TEST(fused({}, Fusion::rrf, {1.0f, 1.0f, 1.0f}).empty()); }

BOOST_AUTO_TEST_CASE(one_view_keeps_its_scores) {
  std::vector<FusedHit> hits(5);
  keep_scores(View::lexical, kLists[1], hits);
  BOOST_REQUIRE(hits.size() == 2u);
  BOOST_TEST(hits[0].slot == 2u);
  BOOST_TEST(hits[0].score == 8.0f);
  BOOST_TEST(hits[1].ranks[1] == 2u);
  BOOST_TEST(hits[1].ranks[0] == 0u);
}

BOOST_AUTO_TEST_CASE(ranking_breaks_ties_by_time_then_by_the_later_id) {
  test::Columns columns;
  columns.add(1, "b");
  columns.add(1, "a");
  columns.add(2, "c");
  columns.add(0, "d");
  std::vector<FusedHit> hits;
  for (Slot slot : {0u, 1u, 2u, 3u}) hits.push_back({.slot = slot, .score = slot == 3 ? 2.0f : 1.0f});
  std::vector<FusedHit> three = hits;
  rank(hits, 10, columns.recency());
  const std::vector<Slot> wanted = {3, 2, 0, 1};
  BOOST_REQUIRE(hits.size() == 4u);
  for (size_t i = 0; i < 4; ++i) BOOST_TEST(hits[i].slot == wanted[i]);
  rank(three, 3, columns.recency());
  BOOST_REQUIRE(three.size() == 3u);
  for (size_t i = 0; i < 3; ++i) BOOST_TEST(three[i].slot == wanted[i]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
