#include "ranking/selection.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(ranking_selection)

using test::Ids;
using test::ids_of;
using test::Item;
using test::search_ids;

// Records whose score is their cosine with (1, 0, 0, 0).
struct Fixture {
  Index index{IndexConfig{.dim = 4}};
  Query query{.user = "ana", .text = "boat", .embedding = std::vector<float>{1, 0, 0, 0}, .fusion = Fusion::learned};

  Fixture() {
    query.explain = true;
    want({});
  }

  void want(const Selection& selection, RankFeature feature = RankFeature::cosine) {
    auto ranking = std::make_shared<Ranking>();
    ranking->weights[static_cast<size_t>(feature)] = 1.0f;
    ranking->selection = selection;
    query.ranking = ranking;
  }
  // At the angle, in degrees, in the plane that the second number chooses.
  static std::vector<float> at_angle(double degrees, size_t plane = 1) {
    std::vector<float> row(4, 0.0f);
    row[0] = static_cast<float>(std::cos(degrees * 0.017453292519943295));
    row[plane] = static_cast<float>(std::sin(degrees * 0.017453292519943295));
    return row;
  }
  Ids found(uint32_t k) {
    query.k = k;
    return search_ids(index, query);
  }
};

BOOST_FIXTURE_TEST_CASE(repetitions_come_only_when_there_are_not_enough_others, Fixture) {
  test::add(index, {{.id = "best", .at = 1, .text = "a red boat", .embedding = at_angle(10)},
                    {.id = "copy", .at = 2, .text = "A red boat!", .embedding = at_angle(10.5)},
                    {.id = "twice", .at = 3, .text = "a red red boat", .embedding = at_angle(10.6)},
                    {.id = "other", .at = 4, .text = "a blue boat", .embedding = at_angle(13)},
                    {.id = "said", .at = 5, .text = "a red boat", .embedding = at_angle(14), .speaker = "bo"},
                    {.id = "far", .at = 6, .text = "a red boat", .embedding = at_angle(40)},
                    {.id = "bare", .at = 7, .text = "a red boat"}});
  BOOST_TEST(found(3) == (Ids{"best", "copy", "twice"}));
  want({.distinct = true});
  BOOST_TEST(found(3) == (Ids{"best", "twice", "other"}));
  BOOST_TEST(found(6) == (Ids{"best", "twice", "other", "said", "far", "bare"}));
  BOOST_TEST(found(7) == (Ids{"best", "copy", "twice", "other", "said", "far", "bare"}));
  query.k = 4;
  SearchResult result = index.search(query);
  BOOST_REQUIRE(result.explanation->repeats.size() == 1u);
  BOOST_TEST(result.explanation->repeats[0].first == "copy");
  BOOST_TEST(result.explanation->repeats[0].second == "best");
  BOOST_REQUIRE(result.explanation->hits[1].selection.has_value());
  BOOST_TEST(result.explanation->hits[1].selection->rank == 3u);
  query.k = 7;
  result = index.search(query);
  BOOST_TEST(result.explanation->repeats.empty());
  BOOST_TEST(result.explanation->hits[1].selection->repeats == "best");
  BOOST_TEST(result.explanation->hits[0].selection->repeats.empty());
}

BOOST_FIXTURE_TEST_CASE(the_last_places_go_to_sessions_that_are_missing, Fixture) {
  test::add(index, {{.id = "a1", .at = 1, .text = "boat", .embedding = at_angle(10), .session = "a"},
                    {.id = "a2", .at = 2, .text = "boat one", .embedding = at_angle(11), .session = "a"},
                    {.id = "a3", .at = 3, .text = "boat two", .embedding = at_angle(12), .session = "a"},
                    {.id = "b1", .at = 4, .text = "boat three", .embedding = at_angle(20), .session = "b"},
                    {.id = "c1", .at = 5, .text = "boat four", .embedding = at_angle(30), .session = "c"},
                    {.id = "none", .at = 6, .text = "boat five", .embedding = at_angle(40)}});
  BOOST_TEST(found(3) == (Ids{"a1", "a2", "a3"}));
  want({.sessions = 2});
  BOOST_TEST(found(3) == (Ids{"a1", "a2", "b1"}));
  want({.sessions = 4});
  BOOST_TEST(found(4) == (Ids{"a1", "b1", "c1", "none"}));
  BOOST_TEST(found(5) == (Ids{"a1", "a2", "b1", "c1", "none"}));
  BOOST_TEST(found(2) == (Ids{"a1", "b1"}));
  want({.sessions = 1000});
  BOOST_TEST(found(5) == (Ids{"a1", "a2", "b1", "c1", "none"}));
  BOOST_TEST(found(1) == (Ids{"a1"}));
  query.k = 3;
  const SearchResult result = index.search(query);
  BOOST_TEST(ids_of(result) == (Ids{"a1", "b1", "c1"}));
  BOOST_TEST(!result.explanation->hits[0].selection->covers);
  BOOST_TEST(result.explanation->hits[1].selection->covers);
  BOOST_TEST(result.explanation->hits[2].selection->rank == 5u);
}

BOOST_FIXTURE_TEST_CASE(a_session_of_repetitions_cannot_be_covered, Fixture) {
  test::add(index, {{.id = "a1", .at = 1, .text = "boat", .embedding = at_angle(10), .session = "a"},
                    {.id = "a2", .at = 2, .text = "boat one", .embedding = at_angle(11), .session = "a"},
                    {.id = "b1", .at = 3, .text = "boat", .embedding = at_angle(10.1), .session = "b"}});
  want({.distinct = true, .sessions = 2});
  BOOST_TEST(found(2) == (Ids{"a1", "a2"}));
  BOOST_TEST(found(3) == (Ids{"a1", "b1", "a2"}));
}

BOOST_FIXTURE_TEST_CASE(what_is_like_one_chosen_stands_back, Fixture) {
  test::add(index, {{.id = "best", .at = 1, .text = "boat", .embedding = at_angle(10)},
                    {.id = "near", .at = 2, .text = "boat one", .embedding = at_angle(15)},
                    {.id = "apart", .at = 3, .text = "boat two", .embedding = at_angle(30, 2)},
                    {.id = "bare", .at = 4, .text = "boat three"}});
  want({.diversity = 0.5f});
  query.k = 3;
  const SearchResult result = index.search(query);
  const auto cosine = [](double degrees) { return static_cast<float>(std::cos(degrees * 0.017453292519943295)); };
  // 30 degrees aside, in another plane.
  const float near = cosine(15) - 0.5f * cosine(5);
  const float apart = cosine(30) - 0.5f * cosine(30) * cosine(10);
  BOOST_TEST(ids_of(result)[1] == (near > apart ? "near" : "apart"));
  BOOST_TEST(std::abs(result.hits[1].score - std::max(near, apart)) < 1e-5f);
  const float alike = 0.5f * (near > apart ? cosine(5) : cosine(30) * cosine(10));
  BOOST_TEST(std::abs(result.explanation->hits[1].selection->alike - alike) < 1e-5f);
  want({.diversity = 1000.0f});
  BOOST_TEST(found(2) == (Ids{"best", "bare"}));  // what has no embedding is like nothing
}

BOOST_FIXTURE_TEST_CASE(what_stands_beside_one_chosen_in_time_stands_back, Fixture) {
  std::vector<Item> items;
  for (int i = 0; i < 100; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i * 1000, .text = "boat " + std::to_string(i),
                     .embedding = at_angle(10 + i * 0.001)});
  }
  test::add(index, items);
  BOOST_TEST(found(3) == (Ids{"r0", "r1", "r2"}));
  want({.spread = 1.0f});
  query.k = 3;
  const SearchResult result = index.search(query);
  BOOST_TEST(ids_of(result) == (Ids{"r0", "r10", "r20"}));  // a tenth of the pool apart
  for (size_t i = 0; i < 3; ++i) BOOST_TEST(result.explanation->hits[i].selection->beside == 0.0f);
  // Once the whole time is covered, what lies in the middle comes.
  const Ids more = found(12);
  BOOST_TEST((Ids(more.begin(), more.begin() + 10) ==
              Ids{"r0", "r10", "r20", "r30", "r40", "r50", "r60", "r70", "r80", "r90"}));
  want({.spread = 0.00001f});
  BOOST_TEST(found(3) == (Ids{"r0", "r1", "r2"}));
}

BOOST_FIXTURE_TEST_CASE(ties_are_newer_first_and_of_one_time_the_later_id, Fixture) {
  test::add(index, {{.id = "b", .at = 5, .text = "boat", .embedding = at_angle(10), .speaker = "1"},
                    {.id = "c", .at = 9, .text = "boat", .embedding = at_angle(10), .speaker = "2"},
                    {.id = "a", .at = 5, .text = "boat", .embedding = at_angle(10), .speaker = "3"},
                    {.id = "d", .at = 1, .text = "boat", .embedding = at_angle(50), .speaker = "4"}});
  for (const Selection& selection : {Selection{}, Selection{.distinct = true}, Selection{.sessions = 7}}) {
    want(selection);
    query.k = 4;
    const SearchResult result = index.search(query);
    BOOST_TEST(ids_of(result) == (Ids{"c", "b", "a", "d"}));
    for (size_t i = 0; i < 4; ++i) BOOST_TEST(result.explanation->hits[i].tied == (i < 3));
  }
}

BOOST_FIXTURE_TEST_CASE(parameters_out_of_range_are_refused, Fixture) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity, -0.001f, 1000.1f}) {
    want({.diversity = bad});
    BOOST_CHECK_EXCEPTION(index.search(query), InvalidArgument, test::Mentions({"diversity"}));
    want({.spread = bad});
    BOOST_CHECK_EXCEPTION(index.search(query), InvalidArgument, test::Mentions({"spread"}));
  }
  for (const uint32_t bad : {0u, ~0u}) {
    want({.sessions = bad});
    BOOST_CHECK_EXCEPTION(index.search(query), InvalidArgument, test::Mentions({"sessions"}));
  }
}

// Whatever is wanted: as many hits as without, each once, in the order of their scores, of enough sessions.
BOOST_FIXTURE_TEST_CASE(random_selections, Fixture) {
  std::mt19937 random{7};
  for (int round = 0; round < 60; ++round) {
    Index own{IndexConfig{.dim = 4}};
    std::vector<Item> items;
    std::map<std::string, std::string> session_of;
    const auto count = static_cast<int>(1 + random() % 120);
    for (int i = 0; i < count; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(random() % 50)};
      item.text = "boat w" + std::to_string(random() % 4);
      if (random() % 6 != 0) item.embedding = at_angle(static_cast<double>(random() % 8), 1 + random() % 3);
      if (random() % 6 != 0) item.session = "s" + std::to_string(random() % 9);
      session_of[item.id] = item.session;
      items.push_back(item);
    }
    test::add(own, items);
    for (int asked = 0; asked < 20; ++asked) {
      constexpr float kOdd[] = {0.0f, 1e-30f, 0.01f, 0.5f, 3.0f, 1000.0f};
      query.k = static_cast<uint32_t>(1 + random() % 40);
      query.depth = static_cast<uint32_t>(random() % 3 == 0 ? 1 + random() % 30 : 0);
      want({});
      const size_t usual = own.search(query).hits.size();
      want({.distinct = random() % 2 == 0, .sessions = static_cast<uint32_t>(1 + random() % 12),
            .diversity = kOdd[random() % 6], .spread = kOdd[random() % 6]},
           RankFeature::cosine_z);
      const Selection& wanted = query.ranking->selection;
      const SearchResult result = own.search(query);
      BOOST_REQUIRE(result.hits.size() == usual);
      std::set<std::string> ids;
      std::set<std::string> sessions;
      size_t chosen = 0;
      for (size_t i = 0; i < result.hits.size(); ++i) {
        ids.insert(result.hits[i].id);
        BOOST_TEST(std::isfinite(result.hits[i].score));
        const HitExplanation& why = result.explanation->hits[i];
        if (why.backfilled) {
          BOOST_TEST(!why.selection.has_value());
          continue;
        }
        if (i > 0) BOOST_TEST(result.hits[i].score <= result.hits[i - 1].score);
        sessions.insert(session_of[result.hits[i].id]);
        ++chosen;
        BOOST_REQUIRE(why.selection.has_value() == !wanted.plain());
      }
      BOOST_TEST(ids.size() == result.hits.size());
      if (!wanted.distinct) {
        std::set<std::string> there;
        for (const std::string& id : own.features(query).ids) there.insert(session_of[id]);
        BOOST_TEST(sessions.size() >= std::min({size_t{wanted.sessions}, there.size(), chosen}));
      }
      if (result.explanation->repeats.empty()) continue;
      for (const auto& [id, other] : result.explanation->repeats) {
        BOOST_TEST(!ids.contains(id));
        BOOST_TEST(ids.contains(other));
      }
      for (const HitExplanation& why : result.explanation->hits) BOOST_TEST(!why.backfilled);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
