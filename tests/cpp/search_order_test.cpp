// The order in which search_many searches is nobody's business but its own.
#include "index/search_order.hpp"

#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <atomic>
#include <random>

#include "base/share_out.hpp"
#include "support/amount.hpp"
#include "support/clustered.hpp"
#include "support/messages.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(search_order)

using test::Item;

// Many dimensions, so that few records have codes beyond the caches.
constexpr size_t kDim = 1024;
constexpr size_t kRecords = 16'500;
constexpr size_t kTopics = 40;

struct Fixture {
  std::mt19937 random{9};
  test::ClusteredVectors vectors{kDim, kTopics, random};
  Index index{IndexConfig{.dim = kDim}};

  void add(const std::string& user, size_t first, size_t count) {
    std::vector<Item> items;
    for (size_t i = first; i < first + count; ++i) {
      items.push_back({.id = std::to_string(i), .at = static_cast<Micros>(i % 5000)});
      items.back().text = "word" + std::to_string(i % 20);
      // Ties: every tenth record has the vector of the one before.
      items.back().embedding = i % 10 == 9 ? items[items.size() - 2].embedding : vectors.near(i / 8);
      items.back().user = user;
    }
    test::add(index, items);
  }

  Query query(std::string user) {
    static constexpr float kRecalls[] = {0.8f, 0.95f, 0.995f, 0.999f, 1.0f};
    Query query{.user = std::move(user)};
    query.k = 1 + static_cast<uint32_t>(random() % 60);
    query.recall = kRecalls[random() % 5];
    switch (random() % 8) {
      case 0: query.text = "word" + std::to_string(random() % 20); return query;
      case 1: query.text = "word" + std::to_string(random() % 20); break;
      case 2: query.between = {{100, 100 + static_cast<Micros>(random() % 3000)}}; break;
      case 3: query.exact = random() % 4 == 0; break;
      default: break;
    }
    query.embedding = vectors.near(random());
    return query;
  }
};

std::vector<const Query*> pointers(const std::vector<Query>& queries) {
  std::vector<const Query*> result;
  for (const Query& query : queries) result.push_back(&query);
  return result;
}

BOOST_FIXTURE_TEST_CASE(answers_are_those_of_search, Fixture,
                        *boost::unit_test::label("long_under_tsan") * boost::unit_test::label("long_under_asan")) {
  add("large", 0, kRecords);
  add("small", 0, 300);
  index.consolidate("large", true);
  add("large", kRecords, 100);  // fresh rows, and places that died
  std::vector<std::string> erased;
  for (size_t i = 0; i < kRecords; i += 37) erased.push_back(std::to_string(i));
  const std::vector<std::string_view> ids(erased.begin(), erased.end());
  BOOST_TEST(index.remove("large", ids) == ids.size());

  std::vector<Query> queries;
  for (size_t i = 0; i < test::amount(300); ++i) queries.push_back(query(i % 7 == 0 ? "small" : i % 31 == 0 ? "nobody" : "large"));
  for (const unsigned threads : {1u, 3u}) {
    const std::vector<SearchResult> results = index.search_many(queries, threads);
    BOOST_REQUIRE(results.size() == queries.size());
    for (size_t i = 0; i < queries.size(); ++i) {
      BOOST_TEST(test::same_hits(results[i], index.search(queries[i])), "query " << i);
    }
  }
  // Queries that a user's blocks are looked up for are checked then.
  queries[1].embedding.assign(kDim, 0.0f);
  queries[1].exact = false;
  BOOST_CHECK_EXCEPTION(index.search_many(queries, 2), InvalidEmbedding, test::Mentions{"a zero vector"});
  queries[1].embedding.assign(3, 1.0f);
  BOOST_CHECK_EXCEPTION(index.search_many(queries, 2), InvalidEmbedding, test::Mentions{"3 values"});
}

BOOST_FIXTURE_TEST_CASE(queries_of_one_block_meet, Fixture, *boost::unit_test::label("long_under_tsan")) {
  const auto user = std::make_shared<UserIndex>(kDim);
  const Analyzer analyzer(AnalyzerKind::simple);
  std::vector<UserIndex::NewRecord> records(kRecords);
  std::vector<std::string> names;
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < kRecords; ++i) {
    names.push_back(std::to_string(i));
    rows.push_back(vectors.near(i));
    normalize(rows.back(), rows.back().data());
  }
  for (size_t i = 0; i < kRecords; ++i) {
    records[i].input = {.user = "ana", .id = names[i], .at = static_cast<Micros>(i), .embedding = rows[i]};
    records[i].id_hash = IdTable::hash(names[i]);
  }
  user->add(records, analyzer);
  BOOST_TEST(user->blocks_beyond_cache() == 0u);  // no blocks at all
  user->consolidate(true);
  const size_t blocks = user->blocks_beyond_cache();
  BOOST_REQUIRE(blocks > kTopics);

  const auto find = [&](std::string_view name) { return name == "ana" ? user : nullptr; };
  std::vector<Query> queries;
  for (size_t i = 0; i < std::max<size_t>(blocks + 2, 140); ++i) {
    queries.push_back({.user = i % 2 == 0 ? "bob" : "ana", .embedding = rows[random() % kRecords]});
  }
  for (const size_t workers : {1u, 3u}) {
    const std::vector<uint32_t> order = memspan::search_order(pointers(queries), kDim, workers, find);
    BOOST_REQUIRE(order.size() == queries.size());
    std::vector<uint32_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t i = 0; i < sorted.size(); ++i) BOOST_REQUIRE(sorted[i] == i);
    RowList asked{kDim};
    for (const uint32_t i : order) {
      if (queries[i].user == "ana") asked.push_back(queries[i].embedding.data());
    }
    const std::vector<uint32_t> nearest = user->nearest_blocks(asked);
    BOOST_TEST(std::is_sorted(nearest.begin(), nearest.end()));
  }
  // Too few to meet: as they came.
  queries.resize(70);
  const std::vector<uint32_t> order = memspan::search_order(pointers(queries), kDim, 1, find);
  BOOST_TEST(std::is_sorted(order.begin(), order.begin() + 35));
}

BOOST_FIXTURE_TEST_CASE(the_first_failure_ends_the_work, Fixture) {
  std::atomic<size_t> calls = 0;
  const auto fail = [&](size_t, size_t) {
    ++calls;
    throw std::runtime_error("enough");
  };
  BOOST_CHECK_THROW(share_out(3, 1000, 1, fail), std::runtime_error);
  BOOST_TEST(calls <= 3u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
