#include "query/hinted_records.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <set>

#include "memspan/ranking.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(hinted_records)

using test::Ids;
using test::Item;
using test::search_ids;

constexpr size_t kDim = 8;

// 500 records that every view prefers, and five at the time that is spoken of.
struct Fixture {
  static constexpr Micros kThen = 1000;
  Index index{IndexConfig{.dim = kDim}};
  Query query{.user = "ana", .text = "boat", .fusion = Fusion::learned};

  Fixture() {
    std::vector<float> near(kDim, 0.0f), far(kDim, 0.0f);
    near[0] = far[1] = 1.0f;
    std::vector<Item> items;
    for (int i = 0; i < 500; ++i) {
      near[2] = 0.001f * static_cast<float>(i);
      items.push_back({.id = "n" + std::to_string(i), .at = i, .text = "boat", .embedding = near});
    }
    for (int i = 0; i < 5; ++i) {
      items.push_back({.id = "f" + std::to_string(i), .at = kThen + i, .text = "house", .embedding = far});
    }
    items[502].kind = Kind::vault;
    items.push_back({.id = "last", .at = 2 * kThen, .text = "boat", .embedding = near});
    test::add(index, items);
    query.embedding = near;
    query.k = 4;
    query.depth = 100;
    query.ranking = hinting({{kThen, kThen + 5}});
  }
  static std::shared_ptr<Ranking> hinting(std::vector<Interval> hints) {
    auto made = std::make_shared<Ranking>();
    made->weights[static_cast<size_t>(RankFeature::hinted)] = 1.0f;
    made->hints = std::move(hints);
    return made;
  }
};

BOOST_FIXTURE_TEST_CASE(what_lies_at_a_time_that_is_spoken_of_is_ranked_though_no_view_finds_it, Fixture) {
  BOOST_TEST(search_ids(index, query) == (Ids{"f4", "f3", "f1", "f0"}));  // f2 is of the vault
  query.exact = true;
  BOOST_TEST(search_ids(index, query) == (Ids{"f4", "f3", "f1", "f0"}));
  query.embedding.clear();
  BOOST_TEST(search_ids(index, query) == (Ids{"f4", "f3", "f1", "f0"}));
  BOOST_TEST(index.search(query).hits[0].views[0].rank == 0u);
  BOOST_TEST(index.search(query).hits[0].score == 1.0f);
  query.exclude = {"f4"};
  query.between = {{kThen, kThen + 2}, {kThen + 4, 3 * kThen}};
  BOOST_TEST(search_ids(index, query) == (Ids{"f1", "f0", "last"}));
  query.ranking = hinting({});
  BOOST_TEST(search_ids(index, query) == (Ids{"last"}));  // what no view finds only follows a question with an embedding
}

BOOST_AUTO_TEST_CASE(what_fills_up_is_of_those_times_first) {
  Index index{IndexConfig{.dim = kDim}};
  std::vector<Item> items;
  for (int i = 0; i < 200; ++i) items.push_back({.id = "r" + std::to_string(i), .at = i, .text = "boat"});
  items[150].embedding.assign(kDim, 1.0f);
  test::add(index, items);
  Query query{.user = "ana", .embedding = items[150].embedding, .k = 60, .fusion = Fusion::learned};
  const auto of_those_times = [&] {
    const SearchResult found = index.search(query);
    BOOST_TEST(found.hits.size() == query.k);
    std::set<std::string> ids;
    for (const Hit& hit : found.hits) {
      if (hit.at < 100) ids.insert(hit.id);
    }
    return ids.size();
  };
  query.ranking = Fixture::hinting({{0, 100}});
  BOOST_TEST(index.features(query).ids.size() < 40u);
  BOOST_TEST(of_those_times() == 59u);
  query.k = 120;
  BOOST_TEST(of_those_times() == 100u);
  query.ranking = Fixture::hinting({});
  BOOST_TEST(of_those_times() == 20u);
}

BOOST_FIXTURE_TEST_CASE(of_many_at_those_times_the_nearest_are_ranked_and_some_from_all_of_them, Fixture) {
  query.depth = query.k = 2;
  query.ranking = hinting({{100, 200}, {150, 300}});
  const RankingFeatures features = index.features(query);
  const std::set<std::string> pool(features.ids.begin(), features.ids.end());
  BOOST_TEST(pool.contains("n299"));
  BOOST_TEST(pool.contains("n270"));
  BOOST_TEST(pool.contains("n100"));  // and some at even distances
  BOOST_TEST(pool.contains("n112"));
  BOOST_TEST(!pool.contains("n201"));
  BOOST_TEST(pool.size() < 70u);
  query.ranking = hinting({{0, 3 * kThen}});  // all of them: nothing to choose
  BOOST_TEST(index.features(query).ids.size() < 5u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
