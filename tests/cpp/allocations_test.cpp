// A search on a thread that has searched before allocates nothing.
#include <boost/test/unit_test.hpp>
#include <random>

#include "query/scratch.hpp"
#include "support/allocations.hpp"
#include "support/nets.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {

using test::Item;

constexpr size_t kDim = 16;

struct Fixture {
  Index index{IndexConfig{.dim = kDim}};
  std::mt19937 random{1};

  Fixture() {
    std::vector<Item> items;
    for (int i = 0; i < 3000; ++i) {
      items.push_back({.id = "a record with an identifier of its own, number " + std::to_string(i), .at = i});
      items.back().text = "opera word" + std::to_string(i % 50) + " word" + std::to_string(i % 7);
      items.back().tags = {"topic " + std::to_string(i % 20), "everything"};
      items.back().session = "s" + std::to_string(i / 8);
      items.back().speaker = "speaker" + std::to_string(i % 60);
      items.back().embedding = test::random_vector(kDim, random);
    }
    test::add(index, items);
    index.relate("ana", "everything", "topic_3");
  }

  size_t allocations_of(const Query& query) {
    SearchResult result;
    index.search(query, result);
    const size_t before = test::allocation_calls();
    for (int i = 0; i < 3; ++i) index.search(query, result);
    const size_t count = test::allocation_calls() - before;
    BOOST_TEST(!result.hits.empty());
    return count;
  }
};

BOOST_FIXTURE_TEST_SUITE(allocations, Fixture)

BOOST_AUTO_TEST_CASE(the_counter_counts) {
  const size_t before = test::allocation_calls();
  const auto one = std::make_unique<int>(1);
  const size_t count = test::allocation_calls() - before;
  BOOST_TEST(count == 1u);
}

BOOST_AUTO_TEST_CASE(searches_allocate_nothing_once_warm) {
  const std::vector<float> vector = test::random_vector(kDim, random);
  const std::string text = "opera word3 word6 and a word that nobody has said";
  const std::vector<Interval> range = {{500, 650}};
  const std::vector<Interval> ranges = {{100, 200}, {500, 2500}};
  std::vector<std::pair<std::string, Query>> kinds = {
      {"latest", {.user = "ana", .k = 20}},
      {"latest in a range", {.user = "ana", .between = range, .k = 20}},
      {"latest with a tag", {.user = "ana", .require_tags = {"topic_3"}}},
      {"lexical", {.user = "ana", .text = text}},
      {"lexical in ranges", {.user = "ana", .text = text, .between = ranges}},
      {"lexical of a kind", {.user = "ana", .text = text, .kinds = {{Kind::episodic}}}},
      {"semantic", {.user = "ana", .embedding = vector}},
      {"semantic, exact", {.user = "ana", .embedding = vector, .exact = true}},
      {"semantic in a range", {.user = "ana", .embedding = vector, .between = range}},
      {"semantic with tags", {.user = "ana", .embedding = vector, .require_tags = {"topic_3", "everything"}}},
      {"semantic as of", {.user = "ana", .embedding = vector, .as_of = 10}},
      {"backfilled", {.user = "ana", .embedding = vector, .k = 500, .depth = 500}},
      {"hybrid", {.user = "ana", .text = text, .embedding = vector}},
      {"hybrid in a range", {.user = "ana", .text = text, .embedding = vector, .between = range}},
      {"hybrid with boosting tags", {.user = "ana", .text = text, .embedding = vector, .tags = {"everything"}}},
      {"hybrid with neighbours", {.user = "ana", .text = text, .embedding = vector, .neighbors = 2}},
      {"weighted", {.user = "ana", .text = text, .embedding = vector, .fusion = Fusion::weighted}},
  };
  // Few finds near each other, so that the most neighbours join them, and each of them of a session of its own.
  const auto learned = [&](Query query, std::vector<Interval> hints) {
    auto ranking = std::make_shared<Ranking>();
    ranking->weights.fill(0.3f);
    ranking->hints = std::move(hints);
    query.fusion = Fusion::learned;
    query.ranking = ranking;
    return query;
  };
  kinds.emplace_back("learned",
                     learned({.user = "ana", .text = text, .embedding = vector, .tags = {"everything"}}, ranges));
  Query with_features = learned({.user = "ana", .text = text, .embedding = vector}, {});
  with_features.features = true;
  kinds.emplace_back("learned, with features", std::move(with_features));
  kinds.emplace_back("learned, semantic", learned({.user = "ana", .embedding = vector}, {}));
  kinds.emplace_back("learned, lexical", learned({.user = "ana", .text = "word3 speaker5"}, {}));
  kinds.emplace_back("learned, few", learned({.user = "ana", .text = text, .embedding = vector, .depth = 20}, {}));
  kinds.emplace_back("learned in a range",
                     learned({.user = "ana", .text = text, .embedding = vector, .between = range}, {}));
  kinds.emplace_back("learned, backfilled", learned({.user = "ana", .embedding = vector, .k = 900, .depth = 100}, {}));
  Query chosen = learned({.user = "ana", .text = text, .embedding = vector}, {});
  auto choosing = std::make_shared<Ranking>(*chosen.ranking);
  choosing->selection = {.distinct = true, .sessions = 8, .diversity = 0.5f, .spread = 0.5f};
  chosen.ranking = choosing;
  kinds.emplace_back("learned, chosen", chosen);
  Query netted = learned({.user = "ana", .text = text, .embedding = vector}, {});
  auto with_net = std::make_shared<Ranking>(*netted.ranking);
  with_net->net = test::random_net(random);
  netted.ranking = with_net;
  kinds.emplace_back("learned, with a net", netted);
  for (const bool consolidated : {false, true}) {
    if (consolidated) index.consolidate("ana", true);
    for (const auto& [name, query] : kinds) {
      const size_t count = allocations_of(query);
      BOOST_TEST(count == 0u, name << (consolidated ? ", consolidated: " : ": ") << count << " allocations");
    }
  }
}

BOOST_AUTO_TEST_CASE(memory_of_a_huge_search_is_let_go) {
  const Query small{.user = "ana", .text = "opera"};
  Query huge = small;
  huge.text = std::string();
  while (huge.text->size() < (3u << 20)) *huge.text += "many different words ";
  SearchResult result;
  index.search(huge, result);
  const size_t kept = SearchScratch::of_thread().bytes();
  BOOST_TEST(kept <= SearchScratch::kMostBytes);
  index.search(small, result);
  BOOST_TEST(!result.hits.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
