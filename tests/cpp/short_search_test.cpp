// Index::try_search: the same answer as search, or none.
#include <boost/test/unit_test.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(short_search)

using test::Item;
using test::Mentions;
using test::same_hits;

constexpr size_t kDim = 8;

struct Fixture {
  Fixture() {
    std::vector<Item> items;
    for (int i = 0; i < 3000; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = i, .text = "opera"};
      item.tags = {"t" + std::to_string(i % 5)};
      item.embedding = test::random_vector(kDim, random);
      items.push_back(item);
    }
    test::add(index, items);
  }
  Query query() { return {.user = "ana", .embedding = test::random_vector(kDim, random), .k = 7}; }
  std::mt19937 random{5};
  Index index{IndexConfig{.dim = kDim}};
};

BOOST_FIXTURE_TEST_CASE(it_equals_search, Fixture) {
  for (int round = 0; round < 100; ++round) {
    Query asked = query();
    if (round % 3 == 1) asked.between = {{{round * 10, 2000}}};
    if (round % 4 == 1) asked.require_tags = {"t2"};
    SearchResult at_once;
    BOOST_REQUIRE(index.try_search(asked, Effort::little, at_once));
    const SearchResult found = index.search(asked);
    BOOST_REQUIRE(found.hits.size() == 7u);
    BOOST_REQUIRE(same_hits(at_once, found));
  }
}

BOOST_FIXTURE_TEST_CASE(what_may_take_long_is_left_to_search, Fixture) {
  const std::vector<std::function<void(Query&)>> changes = {
      [](Query& asked) { asked.text = "opera"; },
      [](Query& asked) { asked.embedding.clear(); },
      [](Query& asked) { asked.exact = true; },
      [](Query& asked) { asked.explain = true; },
      [](Query& asked) { asked.k = 65; },
      [](Query& asked) { asked.depth = 65; },
      [](Query& asked) { asked.where = "{}"; },
      [](Query& asked) { asked.tags = {"t1"}; },
      [](Query& asked) { asked.route = 1; },
      [](Query& asked) { asked.neighbors = 1; },
      [](Query& asked) { asked.exclude = {"r1"}; },
      [](Query& asked) { asked.as_of = 5; },
      [](Query& asked) { asked.valid_at = 5; },
      [](Query& asked) { asked.fusion = Fusion::learned; },
      [](Query& asked) { asked.user = "nobody"; },
  };
  for (const auto& change : changes) {
    Query asked = query();
    change(asked);
    SearchResult out;
    BOOST_TEST(!index.try_search(asked, Effort::little, out));
  }
}

BOOST_FIXTURE_TEST_CASE(with_some_effort_most_queries_are_answered, Fixture) {
  const std::vector<std::function<void(Query&)>> changes = {
      [](Query& asked) { asked.text = "opera"; },
      [](Query& asked) { asked.embedding.clear(); asked.text = "opera"; },
      [](Query& asked) { asked.where = "{}"; },
      [](Query& asked) { asked.tags = {"t1"}; },
      [](Query& asked) { asked.neighbors = 1; },
      [](Query& asked) { asked.exclude = {"r1"}; },
      [](Query& asked) { asked.as_of = 5; },
      [](Query& asked) { asked.valid_at = 5; },
  };
  for (const auto& change : changes) {
    Query asked = query();
    change(asked);
    SearchResult out;
    BOOST_TEST(index.try_search(asked, Effort::some, out));
    BOOST_TEST(same_hits(out, index.search(asked)));
  }
  const std::vector<std::function<void(Query&)>> too_long = {
      [](Query& asked) { asked.exact = true; },
      [](Query& asked) { asked.explain = true; },
      [](Query& asked) { asked.k = 65; },
      [](Query& asked) { asked.depth = 65; },
      [](Query& asked) { asked.fusion = Fusion::learned; },
  };
  for (const auto& change : too_long) {
    Query asked = query();
    change(asked);
    SearchResult out;
    BOOST_TEST(!index.try_search(asked, Effort::some, out));
  }
}

BOOST_FIXTURE_TEST_CASE(many_numbers_are_left_to_search, Fixture) {
  constexpr size_t kManyDim = 4096;
  Index wide(IndexConfig{.dim = kManyDim});
  std::vector<Item> items;
  for (int i = 0; i < 768; ++i) items.push_back({.id = "r" + std::to_string(i), .at = i});
  items[0].embedding = test::random_vector(kManyDim, random);
  test::add(wide, items);
  SearchResult out;
  const Query asked = {.user = "ana", .embedding = test::random_vector(kManyDim, random), .k = 7};
  BOOST_TEST(wide.try_search(asked, Effort::little, out));
  test::add(wide, {{.id = "more", .at = 1}});
  BOOST_TEST(!wide.try_search(asked, Effort::little, out));
  BOOST_TEST(wide.try_search(asked, Effort::some, out));
}

BOOST_FIXTURE_TEST_CASE(refusals_are_those_of_search, Fixture) {
  SearchResult out;
  Query asked = query();
  asked.embedding.pop_back();
  BOOST_CHECK_EXCEPTION(index.try_search(asked, Effort::little, out), InvalidArgument, Mentions{"embedding"});
  asked = query();
  asked.k = 0;
  BOOST_CHECK_EXCEPTION(index.try_search(asked, Effort::little, out), InvalidArgument, Mentions{"k"});
}

BOOST_FIXTURE_TEST_CASE(it_does_not_wait_for_a_writer, Fixture) {
  constexpr int kMany = 2000;
  std::vector<Item> more;
  for (int i = 0; i < kMany; ++i) {
    more.push_back({.id = "more" + std::to_string(i), .at = i, .text = "opera", .embedding = test::random_vector(kDim, random)});
  }
  std::atomic<bool> seen = false;
  std::jthread writer([&] {
    while (!seen) test::add(index, more);
  });
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!seen && std::chrono::steady_clock::now() < patience) {
    const Query asked = query();
    SearchResult out;
    if (!index.try_search(asked, Effort::little, out)) {
      index.search(asked, out);
      seen = true;
    }
    BOOST_REQUIRE(out.hits.size() == 7u);
  }
  BOOST_TEST(seen);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
