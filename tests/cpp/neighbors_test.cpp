#include "query/neighbors.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(neighbors)

// Session "s": slots 0-5 at times 0-5; session "t": slot 6; no session: slot 7.
struct Fixture {
  UserColumns user{1};
  Admission admission;
  std::vector<FusedHit> hits;
  SlotTable positions;

  Fixture() {
    for (Slot slot = 0; slot < 8; ++slot) add(slot < 6 ? "s" : slot == 6 ? "t" : "");
    admission.admit_all(user);
  }
  void add(std::string_view session) {
    const std::string id = "r" + std::to_string(user.slots());
    const Slot slot = user.ids.add(id, IdTable::hash(id));
    RecordInput record;
    record.session = session;
    user.ats.push_back(slot);
    user.attributes.add(slot, record, {});
    user.sessions.insert(user.attributes.session(slot), slot, user.recency());
    user.timeline.insert(slot, user.recency());
  }
  void boost(uint32_t reach) { boost_neighbors(hits, reach, user, admission, positions); }
  const FusedHit* hit(Slot slot) const {
    const auto found = std::find_if(hits.begin(), hits.end(), [slot](const FusedHit& h) { return h.slot == slot; });
    return found == hits.end() ? nullptr : &*found;
  }
};

BOOST_FIXTURE_TEST_CASE(a_hit_lifts_its_neighbours_by_halves, Fixture) {
  hits = {{.slot = 2, .score = 1.0f}};
  boost(2);
  BOOST_TEST(hits.size() == 5u);
  BOOST_TEST(hit(2)->score == 1.0f);
  BOOST_TEST(hit(2)->neighbor_of == kNoSlot);
  BOOST_TEST(hit(1)->score == 0.5f);
  BOOST_TEST(hit(3)->score == 0.5f);
  BOOST_TEST(hit(0)->score == 0.25f);
  BOOST_TEST(hit(4)->score == 0.25f);
  BOOST_TEST(hit(4)->neighbor_of == 2u);
  BOOST_TEST(hit(4)->neighbor_boost == 0.25f);
}

BOOST_FIXTURE_TEST_CASE(a_retired_record_has_no_neighbours_and_is_none, Fixture) {
  user.sessions.erase(user.attributes.session(2), 2, user.recency());  // as UserIndex leaves it out
  BOOST_TEST((user.sessions.find(user.attributes.session(2), 2, user.recency()) ==
              user.sessions.turns(user.attributes.session(2)).end()));
  hits = {{.slot = 2, .score = 1.0f}};
  boost(2);
  BOOST_TEST(hits.size() == 1u);
  hits = {{.slot = 1, .score = 1.0f}};
  boost(1);
  BOOST_TEST(hit(2) == nullptr);
  BOOST_TEST(hit(3)->score == 0.5f);
}

BOOST_FIXTURE_TEST_CASE(the_largest_gift_counts_once, Fixture) {
  hits = {{.slot = 0, .score = 1.0f}, {.slot = 2, .score = 3.0f}, {.slot = 3, .score = 0.5f}};
  boost(2);
  // Slot 1 could have 0.5 from slot 0, 1.5 from slot 2 and 0.125 from slot 3.
  BOOST_TEST(hit(1)->score == 1.5f);
  BOOST_TEST(hit(1)->neighbor_of == 2u);
  BOOST_TEST(hit(0)->score == 1.0f + 0.75f);  // gifts are halves of the scores before any gift
  BOOST_TEST(hit(2)->score == 3.0f + 0.25f);
  BOOST_TEST(hit(3)->score == 0.5f + 1.5f);
  BOOST_TEST(hit(5)->score == 0.125f);
}

BOOST_FIXTURE_TEST_CASE(of_equal_gifts_the_newer_giver_is_named, Fixture) {
  hits = {{.slot = 1, .score = 1.0f}, {.slot = 3, .score = 1.0f}};
  boost(1);
  BOOST_TEST(hit(2)->score == 0.5f);
  BOOST_TEST(hit(2)->neighbor_of == 3u);
}

BOOST_FIXTURE_TEST_CASE(only_the_own_session_is_lifted, Fixture) {
  hits = {{.slot = 6, .score = 1.0f}, {.slot = 7, .score = 1.0f}};
  boost(100);
  BOOST_TEST(hits.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(refused_records_are_not_lifted, Fixture) {
  const Query query{.user = "ana", .between = {{{0, 3}, {4, 8}}}};
  PreparedQuery prepared;
  prepare(query, IndexConfig{.dim = 1}, Analyzer(AnalyzerKind::simple), prepared);
  admission.admit(user, prepared);
  hits = {{.slot = 2, .score = 1.0f}};
  boost(2);
  BOOST_TEST(hit(3) == nullptr);
  BOOST_TEST(hit(4)->score == 0.25f);
}

BOOST_FIXTURE_TEST_CASE(scores_that_are_not_positive_lift_nobody, Fixture) {
  hits = {{.slot = 1, .score = 0.0f}, {.slot = 3, .score = -0.5f}};
  boost(2);
  BOOST_TEST(hits.size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(gifts_too_small_for_a_float_are_none, Fixture) {
  for (int i = 0; i < 100; ++i) add("s");
  hits = {{.slot = 0, .score = 1e-25f}};
  boost(100);
  BOOST_TEST(hit(1)->score == 0.5e-25f);
  for (const FusedHit& lifted : hits) BOOST_TEST(lifted.score > 0.0f);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
