// A `where` that is asked of the records that a search comes upon, against a tag on the same records, which is known of all.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <set>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(open_where)

using test::Item;
using test::same_hits;

constexpr size_t kDim = 16;
constexpr int kRecords = 20000;

struct Stored {
  Stored() {
    std::vector<Item> items;
    for (int i = 0; i < kRecords; ++i) {
      const bool is_kept = random() % 3 != 0;
      Item item{.id = "r" + std::to_string(i), .at = i, .text = "word" + std::to_string(random() % 50) + " all"};
      item.tags = {"t" + std::to_string(random() % 4)};
      if (is_kept) item.tags.push_back("kept");
      if (is_kept) kept.insert(item.id);
      item.metadata = is_kept ? "{\"kept\":true}" : "{\"kept\":false}";
      item.kind = random() % 4 == 0 ? Kind::semantic : Kind::episodic;
      item.embedding = test::random_vector(kDim, random);
      items.push_back(item);
    }
    test::add(index, std::span(items).first(kRecords - 300));
    index.consolidate("ana", true);
    test::add(index, std::span(items).last(300));  // fresh rows
  }

  std::mt19937 random{11};
  std::set<std::string> kept;
  Index index{IndexConfig{.dim = kDim}};
};

// Nothing here writes.
const Stored& stored() {
  static const Stored once;
  return once;
}

struct Marked {
  Query ask() {
    Query query{.user = "ana", .embedding = test::random_vector(kDim, random), .k = static_cast<uint32_t>(1 + random() % 30)};
    query.text = "word" + std::to_string(random() % 50) + " all";
    query.tags = {"t1"};
    if (random() % 3 == 0) query.between = {{{1000, 15000}, {16000, kRecords}}};
    if (random() % 4 == 0) query.kinds = {{Kind::episodic}};
    if (random() % 4 == 0) query.exclude = {"r5", "r1500", "r19990"};
    return query;
  }

  std::mt19937 random{12};
  const std::set<std::string>& kept = stored().kept;
  const Index& index = stored().index;
};

Query by_where(Query query) {
  query.where = "{\"kept\":true}";
  return query;
}
Query by_tag(Query query) {
  query.require_tags = {"kept"};
  return query;
}

BOOST_FIXTURE_TEST_CASE(each_view_finds_what_it_finds_with_a_tag, Marked) {
  const std::vector<std::function<void(Query&)>> ways = {
      [](Query& query) { query.views = {{View::lexical}}; },
      [](Query& query) { query.views = {{View::symbolic}}; },
      [](Query& query) { query.exact = true; },
      [](Query& query) { query.exact = true, query.views = {{View::semantic}}; },
      [](Query& query) { query.exact = true, query.k = 10000; },
      [](Query& query) { query.exact = true, query.neighbors = 2; },
      [](Query& query) { query.text.reset(), query.embedding.clear(), query.tags.clear(); },
  };
  for (size_t way = 0; way < ways.size(); ++way) {
    for (int round = 0; round < 20; ++round) {
      Query query = ask();
      ways[way](query);
      const SearchResult found = index.search(by_where(query));
      BOOST_TEST_CONTEXT("way " << way) BOOST_REQUIRE(same_hits(found, index.search(by_tag(query))));
      query = by_where(query);
      query.explain = true;
      BOOST_REQUIRE(same_hits(found, index.search(query)));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_probe_finds_nearly_all_and_nothing_else, Marked) {
  size_t wanted = 0;
  size_t met = 0;
  for (int round = 0; round < 200; ++round) {
    Query query = ask();
    query.views = {{View::semantic}};
    const SearchResult found = index.search(by_where(query));
    query.exact = true;
    std::set<std::string> truth;
    for (const Hit& hit : index.search(by_tag(query)).hits) truth.insert(hit.id);
    BOOST_REQUIRE(found.hits.size() == truth.size());
    std::set<std::string> ids;
    for (const Hit& hit : found.hits) {
      BOOST_REQUIRE(kept.contains(hit.id));
      BOOST_REQUIRE(ids.insert(hit.id).second);
      met += truth.contains(hit.id);
    }
    wanted += truth.size();
  }
  BOOST_TEST(static_cast<double>(met) >= 0.99 * static_cast<double>(wanted));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
