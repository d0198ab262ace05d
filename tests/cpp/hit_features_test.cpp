// What a learned ranking sees in the hits of a search that wants to know.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "memspan/error.hpp"
#include "memspan/index.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(hit_features)

using test::Item;

constexpr size_t kDim = 8;

struct Fixture {
  Index index{IndexConfig{.dim = kDim}};
  std::mt19937 random{7};

  Fixture() {
    std::vector<Item> items;
    for (int i = 0; i < 120; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = i, .text = "w" + std::to_string(i % 9), .user = "ana"};
      if (i % 3 != 0) {  // the others are found by their words only
        item.embedding = test::random_vector(kDim, random);
        item.session = "s" + std::to_string(i / 6);
      }
      items.push_back(item);
    }
    test::add(index, items);
  }

  Query question() {
    Query query{.user = "ana", .text = "w1 w2", .embedding = test::random_vector(kDim, random), .k = 30};
    query.fusion = Fusion::learned;
    query.features = true;
    auto ranking = std::make_shared<Ranking>();
    std::normal_distribution<float> normal;
    for (float& weight : ranking->weights) weight = normal(random);
    query.ranking = ranking;
    return query;
  }
};

bool is_unknown(const FeatureRow& row) {
  return std::all_of(row.begin(), row.end(), [](float value) { return std::isnan(value); });
}

BOOST_FIXTURE_TEST_CASE(they_are_those_of_the_whole_pool_at_the_places_of_the_hits, Fixture) {
  for (int round = 0; round < 10; ++round) {
    Query query = question();
    if (round % 2 == 1) {
      auto ranking = std::make_shared<Ranking>(*query.ranking);
      ranking->selection = {.distinct = true, .sessions = 5, .diversity = 1.0f, .spread = 1.0f};
      query.ranking = ranking;
    }
    const RankingFeatures pool = index.features(query);
    std::map<std::string, FeatureRow> rows;
    for (size_t i = 0; i < pool.ids.size(); ++i) rows[pool.ids[i]] = pool.rows[i];
    const SearchResult found = index.search(query);
    BOOST_REQUIRE(found.features.has_value());
    BOOST_REQUIRE(found.features->size() == found.hits.size());
    for (size_t i = 0; i < found.hits.size(); ++i) BOOST_TEST(((*found.features)[i] == rows.at(found.hits[i].id)));
  }
}

BOOST_FIXTURE_TEST_CASE(of_hits_that_only_fill_up_to_k_nothing_is_known, Fixture) {
  Query query = question();
  query.k = 120;
  query.explain = true;
  const SearchResult found = index.search(query);
  BOOST_REQUIRE(found.hits.size() == 120u);
  size_t filled = 0;
  for (size_t i = 0; i < found.hits.size(); ++i) {
    BOOST_TEST(is_unknown((*found.features)[i]) == found.explanation->hits[i].backfilled);
    filled += found.explanation->hits[i].backfilled;
  }
  BOOST_TEST(filled > 10u);
}

BOOST_FIXTURE_TEST_CASE(a_listing_has_none_whatever_was_searched_for_before, Fixture) {
  Query query = question();
  index.search(query);
  query.text.reset();
  query.embedding.clear();
  const SearchResult found = index.search(query);
  BOOST_REQUIRE(found.hits.size() == 30u);
  BOOST_REQUIRE(found.features.has_value());
  for (const FeatureRow& row : *found.features) BOOST_TEST(is_unknown(row));
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_is_used_again_has_only_what_its_query_wants, Fixture) {
  SearchResult found;
  Query query = question();
  index.search(query, found);
  BOOST_TEST(found.features.has_value());
  query.features = false;
  index.search(query, found);
  BOOST_TEST(!found.features.has_value());
  query.features = true;
  query.user = "nobody";
  index.search(query, found);
  BOOST_REQUIRE(found.features.has_value());
  BOOST_TEST(found.features->empty());
  index.latest("ana", {}, 5, found);
  BOOST_TEST(!found.features.has_value());
}

BOOST_FIXTURE_TEST_CASE(they_are_of_a_learned_ranking_only, Fixture) {
  Query query = question();
  query.fusion = Fusion::rrf;
  query.ranking.reset();
  BOOST_CHECK_EXCEPTION(index.search(query), InvalidArgument,
                        [](const InvalidArgument& error) { return std::string(error.what()).starts_with("features"); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
