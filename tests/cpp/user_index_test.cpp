#include "index/user_index.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(user_index)

using test::Ids;
using test::Item;
using test::same_hits;
using test::search_ids;

Item full_record() {
  return {.id = "a", .at = 100, .text = "old words", .tags = {"old tag"}, .embedding = {1.0f, 0.0f}, .session = "old session",
          .metadata = R"({"old": true})", .kind = Kind::semantic, .until = 200, .recorded_at = 5, .speaker = "old speaker"};
}

BOOST_AUTO_TEST_CASE(an_upsert_leaves_no_trace) {
  Index index(IndexConfig{.dim = 2});
  test::add(index, {full_record()});
  test::add(index, {{.id = "a", .at = 300, .text = "new"}});

  BOOST_TEST(index.size() == 1u);
  BOOST_TEST(index.locate("ana", "a").value() == 300);
  BOOST_TEST(index.tags("ana").empty());
  const UserStats stats = index.stats("ana").value();
  BOOST_TEST(stats.records == 1u);
  BOOST_TEST(stats.embeddings == 0u);
  BOOST_TEST(stats.documents == 1u);
  BOOST_TEST(stats.tokens == 1u);
  BOOST_TEST(stats.terms == 1u);
  BOOST_TEST(stats.tags == 0u);
  BOOST_TEST(stats.sessions == 0u);
  BOOST_TEST(stats.kinds[static_cast<size_t>(Kind::semantic)] == 0u);
  BOOST_TEST(stats.kinds[static_cast<size_t>(Kind::episodic)] == 1u);
  BOOST_TEST(stats.earliest == 300);
  BOOST_TEST(stats.latest == 300);

  BOOST_TEST(search_ids(index, {.user = "ana", .text = "old words"}).empty());
  BOOST_TEST(search_ids(index, {.user = "ana", .require_tags = {"old_tag"}}).empty());
  BOOST_TEST(search_ids(index, {.user = "ana", .between = {{{100, 101}}}}).empty());
  BOOST_TEST(search_ids(index, {.user = "ana", .kinds = {{Kind::semantic}}}).empty());
  BOOST_TEST(search_ids(index, {.user = "ana", .where = R"({"old": true})"}).empty());
  BOOST_TEST(search_ids(index, {.user = "ana", .valid_at = 400}) == Ids{"a"});
  BOOST_TEST(search_ids(index, {.user = "ana", .as_of = 0}) == Ids{"a"});
  BOOST_TEST(search_ids(index, {.user = "ana"}) == Ids{"a"});
  // Found as a record without a vector only.
  const SearchResult semantic = index.search({.user = "ana", .embedding = {1.0f, 0.0f}});
  BOOST_TEST(semantic.hits.at(0).views[0].rank == 0u);
}

BOOST_AUTO_TEST_CASE(an_upsert_with_the_same_values_changes_nothing) {
  Index once(IndexConfig{.dim = 2});
  Index twice(IndexConfig{.dim = 2});
  test::add(once, {full_record(), {.id = "b", .at = 1, .text = "words"}});
  test::add(twice, {full_record(), {.id = "b", .at = 1, .text = "words"}});
  test::add(twice, {full_record()});
  for (const Query& query : {Query{.user = "ana", .text = "words"}, Query{.user = "ana", .embedding = {1.0f, 1.0f}},
                             Query{.user = "ana", .tags = {"old_tag"}}}) {
    BOOST_TEST(same_hits(once.search(query), twice.search(query)));
  }
}

// The same live records in two indexes: one never had anything else, in the other the slots went from hand to hand.
struct Churned {
  Index fresh{IndexConfig{.dim = 8}};
  Index churned{IndexConfig{.dim = 8}};
  std::mt19937 random{1};

  Item random_item(int id) {
    const std::vector<std::string> words = {"opera", "boat", "fjord", "ticket", "bread", "night"};
    Item item{.id = "r" + std::to_string(id), .at = static_cast<Micros>(random() % 50)};
    for (size_t i = 0; i < random() % 6; ++i) item.text += words[random() % words.size()] + " ";
    for (size_t i = 0; i < random() % 3; ++i) item.tags.push_back("t" + std::to_string(random() % 8));
    if (random() % 5 != 0) item.embedding = test::random_vector(8, random);
    if (random() % 3 != 0) item.session = "s" + std::to_string(random() % 9);
    item.metadata = "{\"n\": " + std::to_string(random() % 4) + "}";
    item.kind = static_cast<Kind>(random() % kKindCount);
    return item;
  }

  Churned() {
    std::vector<Item> last;
    for (int id = 0; id < 250; ++id) last.push_back(random_item(id));
    for (int round = 0; round < 6; ++round) {
      std::vector<Item> batch;
      for (int id = 0; id < 400; ++id) batch.push_back(random_item(id));
      test::add(churned, batch);
      for (int id = 0; id < 400; id += 3) test::remove(churned, "ana", {"r" + std::to_string(id)});
    }
    for (const Item& item : last) test::add(churned, {item});
    for (int id = 250; id < 400; ++id) test::remove(churned, "ana", {"r" + std::to_string(id)});
    for (const Item& item : last) test::add(fresh, {item});
  }
};

BOOST_FIXTURE_TEST_CASE(churn_leaves_the_same_answers, Churned) {
  BOOST_TEST(churned.stats("ana")->dead_slots <= 150u);  // the last removals; all others were used again
  BOOST_TEST(fresh.ids("ana") == churned.ids("ana"));
  for (int i = 0; i < 100; ++i) {
    Query query{.user = "ana", .k = 1 + static_cast<uint32_t>(random() % 60)};
    if (random() % 2 == 0) query.text = "opera ticket night";
    if (random() % 2 == 0) query.embedding = test::random_vector(8, random);
    if (random() % 2 == 0) query.tags = {"t1", "t5"};
    if (random() % 3 == 0) query.where = R"({"n": {"$lt": 2}})";
    if (random() % 3 == 0) query.between = {{10, 30}, {5, 7}};
    if (random() % 3 == 0) query.kinds = {Kind::vault, Kind::episodic, Kind::semantic};
    if (random() % 3 == 0) query.neighbors = 2;
    BOOST_REQUIRE(same_hits(fresh.search(query), churned.search(query)));
  }
}

BOOST_FIXTURE_TEST_CASE(statistics_are_those_of_the_live_records, Churned) {
  const UserStats a = fresh.stats("ana").value();
  const UserStats b = churned.stats("ana").value();
  BOOST_TEST(a.records == b.records);
  BOOST_TEST(a.embeddings == b.embeddings);
  BOOST_TEST(a.documents == b.documents);
  BOOST_TEST(a.tokens == b.tokens);
  BOOST_TEST(a.terms == b.terms);
  BOOST_TEST(a.tags == b.tags);
  BOOST_TEST(a.sessions == b.sessions);
  BOOST_TEST((a.kinds == b.kinds));
  BOOST_TEST(a.earliest == b.earliest);
  BOOST_TEST(a.latest == b.latest);
}

BOOST_FIXTURE_TEST_CASE(a_mass_removal_compacts, Churned) {
  std::vector<Item> many;
  for (int id = 1000; id < 9000; ++id) many.push_back(random_item(id));
  test::add(churned, many);
  std::vector<std::string_view> ids;
  for (const Item& item : many) ids.push_back(item.id);
  BOOST_TEST(churned.remove("ana", ids) == ids.size());
  BOOST_TEST(churned.stats("ana")->dead_slots <= 4096u + 32u);
  BOOST_TEST(fresh.ids("ana") == churned.ids("ana"));
  for (int i = 0; i < 50; ++i) {
    const Query query{.user = "ana", .text = "opera ticket", .embedding = test::random_vector(8, random), .tags = {"t1"},
                      .between = {{{5, 40}}}, .where = R"({"n": {"$lt": 3}})", .k = 20, .neighbors = 2};
    BOOST_REQUIRE(same_hits(fresh.search(query), churned.search(query)));
  }
  const Item item = random_item(7);
  test::add(fresh, {item});
  test::add(churned, {item});
  BOOST_TEST(same_hits(fresh.search({.user = "ana", .k = 1000}), churned.search({.user = "ana", .k = 1000})));
}

BOOST_AUTO_TEST_CASE(removing_everything_leaves_nothing) {
  Index index(IndexConfig{.dim = 1});
  std::vector<Item> items;
  for (int i = 0; i < 500; ++i) {
    items.push_back({.id = std::to_string(i), .at = i, .text = "word" + std::to_string(i), .tags = {"t"}, .embedding = {1.0f}, .session = "s"});
  }
  test::add(index, items);
  for (const Item& item : items) BOOST_TEST(test::remove(index, "ana", {item.id, item.id, "unknown"}) == 1u);
  BOOST_TEST(index.users().empty());
  BOOST_TEST(!index.stats("ana").has_value());
  BOOST_TEST(index.size() == 0u);
  BOOST_TEST(search_ids(index, {.user = "ana", .embedding = {1.0f}}).empty());
  test::add(index, {items[7]});
  BOOST_TEST(search_ids(index, {.user = "ana", .text = "word7", .embedding = {1.0f}}) == Ids{"7"});
}

BOOST_AUTO_TEST_CASE(merges_renames_and_drops_of_tags) {
  Index index(IndexConfig{.dim = 2});
  test::add(index, {{.id = "1", .at = 1, .tags = {"a"}, .embedding = {1.0f, 0.0f}},
                    {.id = "2", .at = 2, .tags = {"b"}, .embedding = {0.0f, 1.0f}}});
  const std::vector<float> east = {1.0f, 0.0f};
  BOOST_TEST(index.route("ana", east, 5, RouteMethod::hnsw).size() == 2u);
  index.relate("ana", "a", "x");
  index.relate("ana", "x", "b");
  // The refused merge had begun to use a new tag: the router must not remember it.
  BOOST_CHECK_THROW(index.merge_tags("ana", Ids{"a", "b"}, "new"), TagCycle);
  BOOST_TEST(index.route("ana", east, 5, RouteMethod::hnsw).size() == 2u);
  BOOST_TEST(index.tags("ana").size() == 3u);
  BOOST_CHECK_THROW(index.rename_tag("ana", "a", "b"), TagCycle);

  BOOST_TEST(index.unrelate("ana", "x", "b"));
  BOOST_TEST(index.merge_tags("ana", Ids{"a", "b", "unknown"}, "new"));
  BOOST_TEST(search_ids(index, {.user = "ana", .require_tags = {"new"}}) == (Ids{"2", "1"}));
  BOOST_TEST(index.route("ana", east, 5, RouteMethod::hnsw).size() == 1u);
  BOOST_TEST(!index.merge_tags("ana", Ids{"unknown"}, "other"));
  BOOST_TEST(index.rename_tag("ana", "new", "newer"));
  BOOST_TEST(!index.rename_tag("ana", "new", "newest"));
  BOOST_TEST(!index.rename_tag("ana", "newer", "Newer"));
  BOOST_TEST(index.drop_tags("ana", Ids{"newer", "x", "unknown"}) == 2u);  // x hung on it alone
  BOOST_TEST(index.tags("ana").empty());
  BOOST_TEST(index.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
