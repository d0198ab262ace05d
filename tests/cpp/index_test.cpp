#include "memspan/index.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(index)

using test::Ids;
using test::Item;
using test::Mentions;
using test::same_hits;
using test::search_ids;

BOOST_AUTO_TEST_CASE(configurations_out_of_range_are_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_EXCEPTION(Index({.dim = 0}), InvalidArgument, Mentions{"dim"});
  BOOST_CHECK_EXCEPTION(Index({.dim = 8193}), InvalidArgument, Mentions{"dim"});
  BOOST_CHECK_EXCEPTION(Index({.dim = 1, .k1 = -0.1}), InvalidArgument, Mentions{"k1"});
  BOOST_CHECK_EXCEPTION(Index({.dim = 1, .k1 = nan}), InvalidArgument, Mentions{"k1"});
  BOOST_CHECK_EXCEPTION(Index({.dim = 1, .b = 1.1}), InvalidArgument, Mentions{"b: got"});
  BOOST_CHECK_EXCEPTION(Index({.dim = 1, .b = nan}), InvalidArgument, Mentions{"b: got"});
  Index({.dim = 8192, .k1 = 0.0, .b = 0.0});
}

BOOST_AUTO_TEST_CASE(words_are_counted_as_the_analyzer_reads_them) {
  Index index(IndexConfig{.dim = 1});
  const std::vector<std::string_view> words = {"camping", "camps", "the", "well-known", "unheard", ""};
  BOOST_TEST(index.frequencies("u", words).documents == 0u);
  BOOST_TEST(index.frequencies("u", words).words == std::vector<uint64_t>(6), boost::test_tools::per_element());

  const std::vector<RecordInput> records = {
      {.user = "u", .id = "a", .text = "camping at the lake"}, {.user = "u", .id = "b", .text = "a well-known camp"},
      {.user = "u", .id = "c", .text = "well then"},           {.user = "u", .id = "d", .text = "..."},
      {.user = "v", .id = "e", .text = "unheard camping"}};
  index.add(records);
  const Index::Frequencies found = index.frequencies("u", words);
  BOOST_TEST(found.documents == 3u);
  const std::vector<uint64_t> expected = {2, 2, 3, 1, 0, 3};  // what the analyzer drops is in all
  BOOST_TEST(found.words == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(unknown_users_have_empty_answers) {
  Index index(IndexConfig{.dim = 1});
  BOOST_TEST(search_ids(index, {.user = "nobody", .text = "x"}).empty());
  BOOST_TEST(index.search({.user = "nobody", .explain = true}).explanation.has_value());
  BOOST_TEST(test::remove(index, "nobody", {"x"}) == 0u);
  BOOST_TEST(index.forget("nobody") == 0u);
  BOOST_TEST(!index.locate("nobody", "x").has_value());
  BOOST_TEST((index.beside("nobody", Ids{"x"}) == std::vector<std::pair<std::string, std::string>>(1)));
  BOOST_TEST(index.ids("nobody").empty());
  BOOST_TEST(index.tags("nobody").empty());
  BOOST_TEST(index.expand("nobody", Ids{"t"}, 3).empty());
  BOOST_TEST(index.route("nobody", std::vector<float>{1.0f}, 3, RouteMethod::automatic).empty());
  BOOST_TEST(!index.unrelate("nobody", "a", "b"));
  BOOST_TEST(!index.rename_tag("nobody", "a", "b"));
  BOOST_TEST(!index.merge_tags("nobody", Ids{"a"}, "b"));
  BOOST_TEST(index.drop_tags("nobody", Ids{"a"}) == 0u);
  BOOST_TEST(index.users().empty());
}

BOOST_AUTO_TEST_CASE(users_never_see_each_other) {
  std::mt19937 random(1);
  Index shared(IndexConfig{.dim = 4});
  Index alone(IndexConfig{.dim = 4});
  const auto random_item = [&](const std::string& user, int i) {
    Item item{.id = "r" + std::to_string(i % 40), .at = i, .text = "word" + std::to_string(random() % 9) + " common",
              .tags = {"t" + std::to_string(random() % 5)}, .embedding = test::random_vector(4, random), .session = "s"};
    item.user = user;
    return item;
  };
  for (int i = 0; i < 200; ++i) {
    const Item mine = random_item("ana", i);
    test::add(alone, {mine});
    test::add(shared, {mine, random_item("bob", i)});
    if (i % 10 == 0) {
      shared.relate("bob", "t" + std::to_string(i % 3), "t4");
      test::remove(shared, "bob", {"r" + std::to_string(i % 40)});
    }
  }
  const auto check = [&] {
    const UserStats a = alone.stats("ana").value();
    const UserStats b = shared.stats("ana").value();
    BOOST_TEST((a.records == b.records && a.tokens == b.tokens && a.terms == b.terms && a.relations == b.relations));
    for (int i = 0; i < 30; ++i) {
      const Query query{.user = "ana",
                        .text = "common word" + std::to_string(i % 9),
                        .embedding = test::random_vector(4, random),
                        .tags = {"t" + std::to_string(i % 5)},
                        .route = 2,
                        .neighbors = 1};
      BOOST_TEST(same_hits(alone.search(query), shared.search(query)));
    }
  };
  check();
  BOOST_TEST(shared.forget("bob") > 0u);
  BOOST_TEST(shared.users() == Ids{"ana"});
  check();
}

BOOST_AUTO_TEST_CASE(a_doubled_id_names_both_positions) {
  Index index(IndexConfig{.dim = 1});
  BOOST_CHECK_EXCEPTION(test::add(index, {{.id = "a", .at = 1}, {.id = "b", .at = 1}, {.id = "a", .at = 2}}), InvalidArgument,
                        (Mentions{"ids[2]", "'a'", "position 0"}));
  BOOST_TEST(index.size() == 0u);
  test::add(index, {{.id = "a", .at = 1}, {.id = "a", .at = 1, .user = "bob"}});
  BOOST_TEST(index.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_batch_is_taken_whole_or_not_at_all) {
  Index index(IndexConfig{.dim = 2});
  test::add(index, {{.id = "a", .at = 1, .text = "kept", .user = "ana"}});
  const auto refused = [&](const Item& bad, const std::string& argument) {
    BOOST_CHECK_EXCEPTION(test::add(index, {{.id = "a", .at = 9, .text = "lost"}, {.id = "z", .at = 9, .user = "zoe"}, bad}),
                          InvalidArgument, (Mentions{argument + ": got", "accepted: "}));
    BOOST_TEST(index.users() == Ids{"ana"});
    BOOST_TEST(index.locate("ana", "a").value() == 1);
    BOOST_TEST(search_ids(index, {.user = "ana", .text = "kept"}) == Ids{"a"});
  };
  refused({.id = "", .at = 1}, "ids[2]");
  refused({.id = std::string(513, 'x'), .at = 1}, "ids[2]");
  refused({.id = "b", .at = 1, .user = ""}, "users[2]");
  refused({.id = "b", .at = kMaxTime + 1}, "ats[2]");
  refused({.id = "b", .at = kMinTime - 1}, "ats[2]");
  refused({.id = "b", .at = 5, .until = 4}, "untils[2]");
  refused({.id = "b", .at = 5, .until = kForever - 1}, "untils[2]");
  refused({.id = "b", .at = 5, .recorded_at = kForever}, "recorded_ats[2]");
  refused({.id = "b", .at = 5, .kind = static_cast<Kind>(5)}, "kinds[2]");
  refused({.id = "b", .at = 5, .text = std::string(limits::kTextBytes + 1, 'x')}, "texts[2]");
  refused({.id = "b", .at = 5, .session = std::string(513, 'x')}, "sessions[2]");
  refused({.id = "b", .at = 5, .speaker = std::string(513, 'x')}, "speakers[2]");
  refused({.id = "b", .at = 5, .metadata = "[]"}, "metadatas[2]");
  refused({.id = "b", .at = 5, .metadata = "{"}, "metadatas[2]");
  refused({.id = "b", .at = 5, .metadata = std::string(limits::kMetadataBytes + 1, ' ')}, "metadatas[2]");
  refused({.id = "b", .at = 5, .tags = std::vector<std::string>(65, "t")}, "tags[2]");
  refused({.id = "b", .at = 5, .tags = {"ok", ""}}, "tags[2][1]");
  refused({.id = "b", .at = 5, .embedding = {1.0f}}, "embeddings[2]");
  refused({.id = "b", .at = 5, .embedding = {1.0f, std::numeric_limits<float>::infinity()}}, "embeddings[2]");
  const RecordInput alone{.user = "ana", .id = ""};
  BOOST_CHECK_EXCEPTION(index.add({&alone, 1}, false), InvalidArgument, Mentions{"id: got ''"});
}

BOOST_AUTO_TEST_CASE(the_first_and_last_time_are_records_like_others) {
  Index index(IndexConfig{.dim = 1});
  test::add(index, {{.id = "first", .at = kMinTime, .until = kMinTime}, {.id = "last", .at = kMaxTime, .until = kMaxTime}});
  BOOST_TEST(search_ids(index, {.user = "ana"}) == (Ids{"last", "first"}));
  BOOST_TEST(index.locate("ana", "first").value() == kMinTime);
}

BOOST_AUTO_TEST_CASE(what_stands_beside_a_record_is_of_its_session) {
  Index index(IndexConfig{.dim = 1});
  const auto turn = [&](const char* id, Micros at, const char* session) {
    Item item{.id = id, .at = at, .text = "x", .session = session};
    item.user = "ana";
    test::add(index, {item});
  };
  turn("c", 1, "s");
  turn("b", 2, "s");
  turn("a", 2, "s");
  turn("other", 2, "t");
  using Beside = std::vector<std::pair<std::string, std::string>>;
  BOOST_TEST((index.beside("ana", Ids{"c", "a", "b", "other", "none"}) ==
              Beside{{"", "a"}, {"c", "b"}, {"a", ""}, {"", ""}, {"", ""}}));
  test::remove(index, "ana", {"a"});
  BOOST_TEST((index.beside("ana", Ids{"c", "a"}) == Beside{{"", "b"}, {"", ""}}));
  test::add(index, {{.id = "fact", .at = 1, .text = "x", .session = "s", .kind = Kind::semantic}});
  BOOST_TEST((index.beside("ana", Ids{"c", "fact", "b"}) == Beside{{"", "fact"}, {"c", "b"}, {"fact", ""}}));
  BOOST_TEST((index.beside("ana", Ids{"c", "fact", "b"}, true) == Beside{{"", "b"}, {"", ""}, {"c", ""}}));
}

BOOST_AUTO_TEST_CASE(search_many_equals_search_in_order) {
  std::mt19937 random(2);
  Index index(IndexConfig{.dim = 4});
  std::vector<Item> items;
  for (int i = 0; i < 300; ++i) {
    items.push_back({.id = std::to_string(i), .at = i % 11, .text = "word" + std::to_string(random() % 20), .embedding = test::random_vector(4, random)});
    items.back().user = i % 3 == 0 ? "ana" : "bob";
  }
  test::add(index, items);
  std::vector<Query> queries;
  for (int i = 0; i < 100; ++i) {
    queries.push_back({.user = i % 2 == 0 ? "ana" : "bob", .text = "word" + std::to_string(i % 20), .embedding = test::random_vector(4, random)});
  }
  for (const unsigned threads : {0u, 1u, 4u, 200u}) {
    const std::vector<SearchResult> results = index.search_many(queries, threads);
    BOOST_REQUIRE(results.size() == queries.size());
    for (size_t i = 0; i < queries.size(); ++i) BOOST_TEST(same_hits(results[i], index.search(queries[i])));
  }
  BOOST_TEST(index.search_many(std::span<const Query>(), 4).empty());
  queries[50].k = 0;
  BOOST_CHECK_EXCEPTION(index.search_many(queries, 3), InvalidArgument, Mentions{"k: got 0"});
}

BOOST_AUTO_TEST_CASE(expansion_is_breadth_first_by_name) {
  Index index(IndexConfig{.dim = 1});
  index.relate("ana", "Travel", "Oslo");
  index.relate("ana", "travel", "bergen");
  index.relate("ana", "oslo", "opera");
  BOOST_TEST(index.expand("ana", Ids{"TRAVEL"}, 1) == (Ids{"travel", "bergen", "oslo"}));
  BOOST_TEST(index.expand("ana", Ids{"opera", "travel", "unknown"}, 9) == (Ids{"opera", "travel", "bergen", "oslo"}));
  BOOST_TEST(index.users() == Ids{"ana"});  // tags alone make a user
  BOOST_TEST(index.stats("ana")->relations == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
