#include "query/prepared_query.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(prepared_query)

using test::Mentions;

const IndexConfig kConfig{.dim = 2};

PreparedQuery prepare_query(const Query& query) {
  PreparedQuery prepared;
  prepare(query, kConfig, Analyzer(AnalyzerKind::english), prepared);
  return prepared;
}

BOOST_AUTO_TEST_CASE(bad_values_are_refused_by_name) {
  struct Case {
    std::string argument;
    std::function<void(Query&)> spoil;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Case> cases = {
      {"user", [](Query& q) { q.user = ""; }},
      {"user", [](Query& q) { q.user = std::string(513, 'u'); }},
      {"k", [](Query& q) { q.k = 0; }},
      {"k", [](Query& q) { q.k = 10'001; }},
      {"depth", [](Query& q) { q.depth = 100'001; }},
      {"neighbors", [](Query& q) { q.neighbors = 101; }},
      {"route", [](Query& q) { q.route = 1001; }},
      {"route", [](Query& q) { q.route = 1; }},
      {"tag_depth", [](Query& q) { q.tag_depth = 101; }},
      {"weights[lexical]", [](Query& q) { q.weights[1] = -1.0f; }},
      {"weights[symbolic]", [nan](Query& q) { q.weights[2] = nan; }},
      {"recall", [](Query& q) { q.recall = 0.0f; }},
      {"recall", [](Query& q) { q.recall = 1.001f; }},
      {"recall", [nan](Query& q) { q.recall = nan; }},
      {"text", [](Query& q) { q.text = std::string(limits::kTextBytes + 1, 'x'); }},
      {"embedding", [](Query& q) { q.embedding = {1.0f}; }},
      {"embedding", [nan](Query& q) { q.embedding = {nan, 1.0f}; }},
      {"embedding", [](Query& q) { q.embedding = {0.0f, 0.0f}; }},
      {"tags[1]", [](Query& q) { q.tags = {"a", " "}; }},
      {"tags", [](Query& q) { q.tags.assign(1001, "a"); }},
      {"require_tags[0]", [](Query& q) { q.require_tags = {std::string(129, 't')}; }},
      {"require_tags", [](Query& q) { q.require_tags.assign(65, "a"); }},
      {"between", [](Query& q) { q.between.emplace(); }},
      {"between", [](Query& q) { q.between.emplace(1025); }},
      {"between[1]", [](Query& q) { q.between = {{0, 1}, {5, 4}}; }},
      {"kinds", [](Query& q) { q.kinds.emplace(); }},
      {"where", [](Query& q) { q.where = "{"; }},
      {"where", [](Query& q) { q.where = std::string(limits::kWhereBytes + 1, ' '); }},
      {"exclude", [](Query& q) { q.exclude.assign(limits::kExcluded + 1, "x"); }},
      {"as_of", [](Query& q) { q.as_of = kMaxTime + 1; }},
      {"valid_at", [](Query& q) { q.valid_at = kMinTime - 1; }},
      {"views", [](Query& q) { q.views = {View::semantic}; }},
      {"views", [](Query& q) { q.views = {View::lexical}; }},
      {"views", [](Query& q) { q.text = "x"; q.views = {View::lexical, View::symbolic}; }},
  };
  for (const Case& test : cases) {
    Query query{.user = "ana"};
    test.spoil(query);
    BOOST_CHECK_EXCEPTION(prepare_query(query), InvalidArgument, (Mentions{test.argument + ": got ", "accepted: "}));
  }
}

BOOST_AUTO_TEST_CASE(extreme_values_that_are_allowed) {
  Query query{.user = std::string(512, 'u'), .route = 1000, .tag_depth = 100, .k = 10'000};
  query.depth = 100'000;
  query.neighbors = 100;
  query.embedding = {1e-38f, 0.0f};
  query.between = {{std::numeric_limits<Micros>::min(), std::numeric_limits<Micros>::max()}, {5, 5}};
  query.recall = 1.0f;
  query.as_of = kMinTime;
  query.valid_at = kMaxTime;
  const PreparedQuery prepared = prepare_query(query);
  BOOST_TEST(prepared.unit_embedding[0] == 1.0f);
  BOOST_TEST(prepared.intervals->size() == 1u);
}

BOOST_AUTO_TEST_CASE(views_follow_what_the_query_has) {
  using Views = std::array<bool, kViewCount>;
  Query query{.user = "ana"};
  BOOST_TEST((prepare_query(query).views == Views{false, false, true}));
  query.text = "";
  BOOST_TEST((prepare_query(query).views == Views{false, true, false}));
  query.embedding = {1.0f, 0.0f};
  BOOST_TEST((prepare_query(query).views == Views{true, true, false}));
  query.tags = {"a"};
  BOOST_TEST((prepare_query(query).views == Views{true, true, true}));
  query.views = {View::lexical};
  BOOST_TEST((prepare_query(query).views == Views{false, true, true}));  // tags boost in any case
  query.tags.clear();
  BOOST_TEST((prepare_query(query).views == Views{false, true, false}));
  query.views = {View::symbolic};
  BOOST_TEST((prepare_query(query).views == Views{false, false, true}));
}

BOOST_AUTO_TEST_CASE(depth_is_never_below_k) {
  Query query{.user = "ana", .text = "x", .embedding = {1.0f, 0.0f}, .k = 10};
  BOOST_TEST(prepare_query(query).depth == 100u);
  query.k = 1000;
  BOOST_TEST(prepare_query(query).depth == 4000u);
  query.depth = 5;
  BOOST_TEST(prepare_query(query).depth == 1000u);
  query.depth = 2000;
  BOOST_TEST(prepare_query(query).depth == 2000u);
}

BOOST_AUTO_TEST_CASE(one_view_that_keeps_its_order_finds_no_more_than_k) {
  Query query{.user = "ana", .text = "x", .k = 10, .depth = 50};
  BOOST_TEST(prepare_query(query).depth == 10u);
  query.fusion = Fusion::union_;
  BOOST_TEST(prepare_query(query).depth == 10u);
  query.fusion = Fusion::weighted;  // scales by the worst candidate
  BOOST_TEST(prepare_query(query).depth == 50u);
  query.fusion = Fusion::rrf;
  query.neighbors = 1;
  BOOST_TEST(prepare_query(query).depth == 50u);
  query.text.reset();
  BOOST_TEST(prepare_query(query).depth == 10u);  // a listing
}

BOOST_AUTO_TEST_CASE(tags_come_normalised_and_once) {
  using Tags = std::vector<std::string>;
  BOOST_TEST((prepare_query({.user = "ana", .tags = {"b", "a", "b", "a-1", "a"}}).tags == Tags{"b", "a", "a-1"}));
  BOOST_TEST((prepare_query({.user = "ana", .tags = {"b", "B ", "_x", "y_", "two  words"}}).tags ==
              Tags{"b", "x", "y", "two_words"}));
}

// What one query leaves behind must not show in the next.
BOOST_AUTO_TEST_CASE(memory_is_reused_and_clean) {
  PreparedQuery prepared;
  const Analyzer analyzer(AnalyzerKind::english);
  const Query full{.user = "ana",
                   .text = "opera tickets",
                   .embedding = {1.0f, 0.0f},
                   .tags = {"a"},
                   .between = {{{0, 1}, {5, 9}}},
                   .kinds = {{Kind::vault}},
                   .require_tags = {"b"},
                   .where = "{}"};
  prepare(full, kConfig, analyzer, prepared);
  BOOST_TEST(prepared.intervals->size() == 2u);
  BOOST_TEST(prepared.where.has_value());
  const Query empty{.user = "ana"};
  prepare(empty, kConfig, analyzer, prepared);
  BOOST_TEST(prepared.listing());
  BOOST_TEST(prepared.unit_embedding.empty());
  BOOST_TEST(prepared.tokens.empty());
  BOOST_TEST(prepared.tags.empty());
  BOOST_TEST(prepared.require_tags.empty());
  BOOST_TEST(!prepared.intervals);
  BOOST_TEST(!prepared.where);
  BOOST_TEST(!prepared.kinds[static_cast<size_t>(Kind::vault)]);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
