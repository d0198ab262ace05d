// Exact searches that read the rows together answer as each does alone, to the bit.
#include "query/joint_scans.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "memspan/error.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(joint_scans)

using test::Item;

constexpr size_t kDim = 33;  // so that rows of bfloat16 have a value behind the last

struct Fixture {
  std::mt19937 random{4};

  std::unique_ptr<Index> filled(RowFormat format) {
    auto index = std::make_unique<Index>(IndexConfig{.dim = kDim, .row_format = format});
    std::vector<Item> items;
    for (size_t i = 0; i < 1500; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(random() % 300), .text = "word" + std::to_string(i % 40)};
      item.session = "s" + std::to_string(i / 10);
      if (i % 9 == 0) item.tags = {"ninth"};
      if (i % 7 != 0) item.embedding = test::random_vector(kDim, random);
      if (i % 50 == 1) item.embedding.assign(kDim, 1.0f);  // equal scores, of which the newer comes first
      items.push_back(std::move(item));
    }
    test::add(*index, items);
    std::vector<std::string> gone;
    for (size_t i = 3; i < 1500; i += 11) gone.push_back("r" + std::to_string(i));
    const std::vector<std::string_view> ids(gone.begin(), gone.end());
    BOOST_TEST(index->remove("ana", ids) == gone.size());
    index->consolidate("ana", true);
    items.resize(300);
    for (Item& item : items) item.user = "ben";
    test::add(*index, items);
    return index;
  }

  // Nothing is left out, and what comes with a vector differs.
  Query exact(size_t i, const std::string& user) {
    Query query{.user = user, .embedding = test::random_vector(kDim, random), .k = static_cast<uint32_t>(1 + i * 7 % 30), .exact = true};
    if (i % 5 == 1) query.recall = 1.0f, query.exact = false;
    if (i % 4 == 1) query.text = "word3 word4";
    if (i % 4 == 2) query.neighbors = 2;
    if (i % 4 == 3) query.tags = {"ninth"};
    if (i % 6 == 5) query.depth = 3;
    if (i % 13 == 12) query.explain = true;
    return query;
  }
};

void expect_the_same(const Index& index, std::span<const Query> queries) {
  for (const unsigned threads : {1u, 2u}) {
    const std::vector<SearchResult> together = index.search_many(queries, threads);
    for (size_t i = 0; i < queries.size(); ++i) {
      const SearchResult alone = index.search(queries[i]);
      BOOST_TEST(test::same_hits(together[i], alone), "query " << i);
      BOOST_TEST_REQUIRE(together[i].explanation.has_value() == alone.explanation.has_value());
      if (!alone.explanation) continue;
      BOOST_TEST(std::string_view(together[i].explanation->scan) == alone.explanation->scan);
      BOOST_TEST(together[i].explanation->rows_read == alone.explanation->rows_read);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(answers_are_those_of_single_searches, Fixture) {
  for (const RowFormat format : {RowFormat::float32, RowFormat::bfloat16}) {
    const auto index = filled(format);
    for (const size_t count : {2u, 3u, 8u, 9u, 40u}) {
      std::vector<Query> queries;
      for (size_t i = 0; i < count; ++i) queries.push_back(exact(i, "ana"));
      expect_the_same(*index, queries);
    }
    // Among others, of other users, and of nobody.
    std::vector<Query> mixed;
    for (size_t i = 0; i < 90; ++i) {
      mixed.push_back(exact(i, i % 3 == 0 ? "ben" : i % 31 == 0 ? "nobody" : "ana"));
      if (i % 8 == 0) mixed.back().require_tags = {"ninth"};
      if (i % 8 == 4) mixed.back().exact = false, mixed.back().recall = 0.9f;
    }
    expect_the_same(*index, mixed);
  }
}

// Vectors without clusters, of which every search reads all, and clusters, of which none does.
BOOST_FIXTURE_TEST_CASE(approximate_answers_are_those_of_single_searches, Fixture) {
  for (const bool clustered : {false, true}) {
    const auto index = std::make_unique<Index>(IndexConfig{.dim = kDim});
    std::vector<Item> items;
    std::vector<std::vector<float>> centres;
    for (size_t i = 0; i < 30; ++i) centres.push_back(test::random_vector(kDim, random));
    for (size_t i = 0; i < 3000; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(random() % 300), .text = "word" + std::to_string(i % 40)};
      item.embedding = test::random_vector(kDim, random);
      for (size_t d = 0; clustered && d < kDim; ++d) item.embedding[d] = 4.0f * centres[i % 30][d] + 0.5f * item.embedding[d];
      items.push_back(std::move(item));
    }
    const std::span<const Item> all(items);
    test::add(*index, all.first(2500));
    index->consolidate("ana", true);
    test::add(*index, all.subspan(2500));  // fresh rows beside the layout
    std::vector<Query> queries;
    for (size_t i = 0; i < 60; ++i) {
      queries.push_back(exact(i, "ana"));
      queries.back().embedding = items[random() % items.size()].embedding;
      queries.back().exact = i % 10 == 9;
      queries.back().recall = i % 7 == 6 ? 0.9f : 0.995f;
    }
    expect_the_same(*index, queries);
    Query asked = queries[0];
    asked.explain = true;
    const SearchExplanation told = *index->search(asked).explanation;
    BOOST_TEST((told.rows_read >= 3000) == !clustered);
  }
}

// Then not every row may be read, which no query says.
BOOST_FIXTURE_TEST_CASE(what_is_left_out_stays_left_out, Fixture) {
  const auto index = filled(RowFormat::float32);
  std::vector<Item> secrets;
  for (size_t i = 0; i < 20; ++i) {
    secrets.push_back({.id = "secret" + std::to_string(i), .text = "word"});
    secrets.back().kind = Kind::vault;
    secrets.back().embedding = test::random_vector(kDim, random);
  }
  test::add(*index, secrets);
  std::vector<Query> queries;
  for (size_t i = 0; i < 16; ++i) queries.push_back(exact(i, "ana"));
  for (size_t i = 0; i < 16; ++i) queries[i].embedding = secrets[i].embedding;
  expect_the_same(*index, queries);
  for (const SearchResult& result : index->search_many(queries, 1)) {
    for (const Hit& hit : result.hits) BOOST_TEST(!hit.id.starts_with("secret"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_bad_query_among_them_ends_the_call_and_spoils_no_later_one, Fixture) {
  const auto index = filled(RowFormat::float32);
  std::vector<Query> queries;
  for (size_t i = 0; i < 8; ++i) queries.push_back(exact(i, "ana"));
  queries[5].embedding.assign(kDim, 0.0f);
  BOOST_CHECK_THROW(index->search_many(queries, 1), InvalidEmbedding);
  queries[5] = exact(5, "ana");
  expect_the_same(*index, queries);
}

BOOST_FIXTURE_TEST_CASE(only_queries_without_filters_are_served, Fixture) {
  const Query plain = exact(0, "ana");
  BOOST_TEST(JointScans::serves(plain));
  const auto refused = [&](auto change) {
    Query query = plain;
    change(query);
    return !JointScans::serves(query);
  };
  BOOST_TEST(refused([](Query& query) { query.embedding.clear(); }));
  BOOST_TEST(refused([](Query& query) { query.views = {View::lexical}; }));
  BOOST_TEST(refused([](Query& query) { query.route = 3; }));
  BOOST_TEST(refused([](Query& query) { query.between = {{0, 1}}; }));
  BOOST_TEST(refused([](Query& query) { query.kinds = {Kind::episodic}; }));
  BOOST_TEST(refused([](Query& query) { query.require_tags = {"a"}; }));
  BOOST_TEST(refused([](Query& query) { query.where = R"({"a": 1})"; }));
  BOOST_TEST(refused([](Query& query) { query.exclude = {"a"}; }));
  BOOST_TEST(refused([](Query& query) { query.as_of = 5; }));
  BOOST_TEST(refused([](Query& query) { query.valid_at = 5; }));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
