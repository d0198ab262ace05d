// A search on a thread that has searched before allocates nothing, or where it does, no more for more records.
#include <bit>
#include <boost/test/unit_test.hpp>
#include <random>

#include "query/scratch.hpp"
#include "support/allocations.hpp"
#include "support/nets.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(allocations)

using test::Item;

constexpr size_t kDim = 16;

struct Fixture {
  Index index;
  std::mt19937 random{1};

  explicit Fixture(int count = 3000, RowFormat format = RowFormat::float32)
      : index(IndexConfig{.dim = kDim, .row_format = format}) {
    std::vector<Item> items;
    for (int i = 0; i < count; ++i) {
      items.push_back({.id = "a record with an identifier of its own, number " + std::to_string(i), .at = i});
      items.back().text = "opera word" + std::to_string(i % 50) + " word" + std::to_string(i % 7);
      items.back().tags = {"topic " + std::to_string(i % 20), "everything"};
      items.back().session = "s" + std::to_string(i / 8);
      items.back().speaker = "speaker" + std::to_string(i % 60);
      items.back().metadata = R"({"price": )" + std::to_string(i % 10) + R"(, "shop": {"town": "Graz"}})";
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

BOOST_FIXTURE_TEST_CASE(the_counter_counts, Fixture) {
  const size_t before = test::allocation_calls();
  const auto one = std::make_unique<int>(1);
  const size_t count = test::allocation_calls() - before;
  BOOST_TEST(count == 1u);
}

void expect_no_allocations(Fixture& fixture) {
  auto& [index, random] = fixture;
  const std::vector<float> vector = test::random_vector(kDim, random);
  const std::string text = "opera word3 word6 and a word that nobody has said";
  const std::vector<Interval> range = {{500, 650}};
  const std::vector<Interval> ranges = {{100, 200}, {500, 2500}};
  const std::string known = "a record with an identifier of its own, number ";
  const std::vector<std::string> some = {known + "503", known + "2999", "an unknown one"};
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
      {"latest but some", {.user = "ana", .exclude = some}},
      {"lexical but some", {.user = "ana", .text = text, .exclude = some}},
      {"semantic but some", {.user = "ana", .embedding = vector, .exclude = some}},
      {"semantic in a range but some", {.user = "ana", .embedding = vector, .between = range, .exclude = some}},
      {"hybrid with a tag but some",
       {.user = "ana", .text = text, .embedding = vector, .require_tags = {"topic_3"}, .exclude = some}},
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
      const size_t count = fixture.allocations_of(query);
      BOOST_TEST(count == 0u, name << (consolidated ? ", consolidated: " : ": ") << count << " allocations");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(searches_allocate_nothing_once_warm, Fixture) {
  expect_no_allocations(*this);
  Fixture rounded(3000, RowFormat::bfloat16);
  expect_no_allocations(rounded);
}

// Two users, of 100 and of 5,000 records, of whom the same is asked.
struct TwoSizes {
  Fixture few{100};
  Fixture many{5000};

  void consolidate() {
    for (Fixture* user : {&few, &many}) user->index.consolidate("ana", true);
  }
};

// A parsed `where`, routed tags and explanations are made anew for each search. The bounds leave a third and more to
// other libraries.
BOOST_FIXTURE_TEST_CASE(those_that_allocate_do_not_allocate_more_for_more_records, Fixture) {
  TwoSizes users;
  const std::vector<float> vector = test::random_vector(kDim, random);
  const std::string text = "opera word3 word6 and a word that nobody has said";
  const std::vector<Interval> range = {{5, 90}};
  const std::string dear = R"({"price": {"$gte": 3}})";
  const std::string either = R"({"$or": [{"price": {"$in": [3, 4]}}, {"shop.town": "Wien"}, {"$not": {"price": 7}}]})";
  struct Case {
    const char* name;
    Query query;
    size_t most;  // allocations of one search
  };
  auto ranking = std::make_shared<Ranking>();
  ranking->weights.fill(0.3f);
  const Case kinds[] = {
      {"where, latest", {.user = "ana", .where = dear}, 16},
      {"where, lexical", {.user = "ana", .text = text, .where = dear}, 16},
      {"where, semantic", {.user = "ana", .embedding = vector, .where = dear}, 16},
      {"where, in a range", {.user = "ana", .text = text, .embedding = vector, .between = range, .where = dear}, 16},
      {"where, longer", {.user = "ana", .text = text, .embedding = vector, .where = either}, 60},
      {"routed", {.user = "ana", .text = text, .embedding = vector, .route = 3}, 8},
      {"routed, exact", {.user = "ana", .text = text, .embedding = vector, .route = 3, .exact = true}, 8},
      {"routed, to many", {.user = "ana", .embedding = vector, .route = 10}, 8},
      {"explained, latest", {.user = "ana", .explain = true}, 16},
      {"explained, lexical", {.user = "ana", .text = text, .explain = true}, 16},
      {"explained, semantic", {.user = "ana", .embedding = vector, .explain = true}, 16},
      {"explained, with tags",
       {.user = "ana", .embedding = vector, .tags = {"everything"}, .tag_depth = 0, .explain = true},
       40},
      {"explained, learned",
       {.user = "ana",
        .text = text,
        .embedding = vector,
        .fusion = Fusion::learned,
        .ranking = ranking,
        .explain = true},
       160},
  };
  for (const bool consolidated : {false, true}) {
    if (consolidated) users.consolidate();
    for (const auto& [name, query, most] : kinds) {
      BOOST_TEST_CONTEXT(name << (consolidated ? ", consolidated" : "")) {
        const size_t count = users.few.allocations_of(query);
        BOOST_TEST(count > 0u);
        BOOST_TEST(count <= 3 * most);
        BOOST_TEST(users.many.allocations_of(query) == count);
      }
    }
  }
}

// The slots that a filter refuses are put into a list, which doubles.
BOOST_FIXTURE_TEST_CASE(explained_refusals_take_the_logarithm_of_their_number, Fixture) {
  TwoSizes users;
  const Query query{.user = "ana", .require_tags = {"topic_3"}, .k = 5, .explain = true};
  const auto refused = [&](Fixture& user) {
    return user.index.search(query).explanation->refused[static_cast<size_t>(Filter::require_tags)].count;
  };
  const auto doublings = static_cast<size_t>(std::bit_width(refused(users.many)) - std::bit_width(refused(users.few)));
  BOOST_TEST(users.many.allocations_of(query) == users.few.allocations_of(query) + 3 * doublings);
}

// On one thread; a thread that it starts has memory of its own to grow.
BOOST_FIXTURE_TEST_CASE(many_searches_allocate_their_answers, Fixture) {
  TwoSizes users;
  const std::vector<float> vector = test::random_vector(kDim, random);
  const Query query{.user = "ana", .text = "opera word3", .embedding = vector, .k = 10};
  const auto allocations = [](const Index& searched, std::span<const Query> queries) {
    searched.search_many(queries, 1);
    const size_t before = test::allocation_calls();
    const std::vector<SearchResult> results = searched.search_many(queries, 1);
    const size_t count = test::allocation_calls() - before;
    for (const SearchResult& result : results) BOOST_TEST(result.hits.size() == 10u);
    return count;
  };
  for (const size_t count : {1u, 10u, 100u}) {
    const std::vector<Query> queries(count, query);
    const size_t needed = allocations(users.few.index, queries);
    BOOST_TEST(needed == allocations(users.many.index, queries));
    // The list of the hits of each query, and their long ids.
    BOOST_TEST(needed <= 11 * count + 4);
  }
}

BOOST_FIXTURE_TEST_CASE(memory_of_a_huge_search_is_let_go, Fixture) {
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
