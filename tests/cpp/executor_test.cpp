#include "query/executor.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <random>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(executor)

using test::Ids;
using test::Item;
using test::ids_of;
using test::search_ids;

bool close(float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-5 * std::max(1.0, std::abs(b)); }

BOOST_AUTO_TEST_CASE(ties_are_newer_first_and_of_one_time_the_later_id) {
  Index index(IndexConfig{.dim = 2});
  const std::vector<float> east = {1.0f, 0.0f};
  test::add(index, {{.id = "b", .at = 5, .text = "fjord", .tags = {"t"}, .embedding = east},
                    {.id = "c", .at = 9, .text = "fjord", .tags = {"t"}, .embedding = east},
                    {.id = "a", .at = 5, .text = "fjord", .tags = {"t"}, .embedding = east},
                    {.id = "d", .at = 1, .text = "fjord", .tags = {"t"}, .embedding = east}});
  const Ids wanted = {"c", "b", "a", "d"};
  BOOST_TEST(search_ids(index, {.user = "ana"}) == wanted);
  BOOST_TEST(search_ids(index, {.user = "ana", .text = "fjord"}) == wanted);
  BOOST_TEST(search_ids(index, {.user = "ana", .embedding = east}) == wanted);
  BOOST_TEST(search_ids(index, {.user = "ana", .tags = {"t"}}) == wanted);
  for (const Fusion fusion : {Fusion::rrf, Fusion::weighted}) {
    BOOST_TEST(search_ids(index, {.user = "ana", .text = "fjord", .embedding = east, .tags = {"t"}, .fusion = fusion}) == wanted);
  }
  BOOST_TEST(search_ids(index, {.user = "ana", .text = "fjord", .k = 2}) == (Ids{"c", "b"}));
}

// BM25 from the formula, over the tokens that the analyser gives.
BOOST_AUTO_TEST_CASE(lexical_scores_follow_the_formula) {
  constexpr double kK1 = 1.7;
  constexpr double kB = 0.6;
  Index index(IndexConfig{.dim = 1, .analyzer = AnalyzerKind::simple, .k1 = kK1, .b = kB});
  const std::vector<std::vector<std::string>> texts = {
      {"red", "boat"}, {"red", "red", "sky", "sea", "wind"}, {"boat"}, {"sun"}, {}, {"red", "boat", "red", "boat", "sail"}};
  std::vector<Item> items;
  double tokens = 0.0;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::string text;
    for (const std::string& word : texts[i]) text += word + " ";
    items.push_back({.id = std::to_string(i), .at = static_cast<Micros>(i), .text = text});
    tokens += static_cast<double>(texts[i].size());
  }
  test::add(index, items);
  const double documents = 5.0;  // the one without a token does not count

  std::map<std::string, double> wanted;
  for (const std::string& word : {std::string("red"), std::string("boat"), std::string("unknown")}) {
    double with_word = 0.0;
    for (const auto& text : texts) with_word += std::count(text.begin(), text.end(), word) > 0;
    const double idf = std::log(1.0 + (documents - with_word + 0.5) / (with_word + 0.5));
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto f = static_cast<double>(std::count(texts[i].begin(), texts[i].end(), word));
      if (f == 0.0) continue;
      const double norm = 1.0 - kB + kB * static_cast<double>(texts[i].size()) * documents / tokens;
      wanted[std::to_string(i)] += idf * f * (kK1 + 1.0) / (f + kK1 * norm);
    }
  }
  const SearchResult result = index.search({.user = "ana", .text = "red boat unknown red"});
  BOOST_TEST(result.hits.size() == wanted.size());
  for (const Hit& hit : result.hits) {
    BOOST_TEST(close(hit.score, wanted[hit.id]));
    BOOST_TEST(hit.views[1].score == hit.score);
  }
  for (size_t i = 1; i < result.hits.size(); ++i) BOOST_TEST(result.hits[i - 1].score >= result.hits[i].score);
}

struct Tagged {
  Index index{IndexConfig{.dim = 2}};
  Tagged() {
    test::add(index, {{.id = "norway", .at = 1, .tags = {"norway"}},
                      {.id = "oslo", .at = 2, .tags = {"oslo"}},
                      {.id = "opera", .at = 3, .tags = {"opera"}},
                      {.id = "both", .at = 4, .tags = {"norway", "opera"}},
                      {.id = "other", .at = 5, .tags = {"other"}}});
    index.relate("ana", "norway", "oslo");
    index.relate("ana", "oslo", "opera");
  }
};

BOOST_FIXTURE_TEST_CASE(tags_boost_their_descendants_by_halves, Tagged) {
  const SearchResult result = index.search({.user = "ana", .tags = {"norway"}, .tag_depth = 2});
  const std::map<std::string, float> wanted = {{"both", 1.25f}, {"norway", 1.0f}, {"oslo", 0.5f}, {"opera", 0.25f}};
  BOOST_TEST(result.hits.size() == wanted.size());
  for (const Hit& hit : result.hits) BOOST_TEST(hit.score == wanted.at(hit.id));
  BOOST_TEST(search_ids(index, {.user = "ana", .tags = {"norway"}, .tag_depth = 1}) == (Ids{"both", "norway", "oslo"}));
  BOOST_TEST(search_ids(index, {.user = "ana", .tags = {"norway"}, .tag_depth = 0}) == (Ids{"both", "norway"}));
  BOOST_TEST(search_ids(index, {.user = "ana", .tags = {"unknown"}}).empty());
}

BOOST_FIXTURE_TEST_CASE(the_largest_weight_of_a_tag_wins, Tagged) {
  const SearchResult result = index.search({.user = "ana", .tags = {"norway", "opera"}, .tag_depth = 9, .explain = true});
  using Weights = std::vector<std::pair<std::string, float>>;
  Weights weights = result.explanation->boosting_tags;
  std::sort(weights.begin(), weights.end());
  BOOST_TEST((weights == Weights{{"norway", 1.0f}, {"opera", 1.0f}, {"oslo", 0.5f}}));
  BOOST_TEST(result.hits.front().id == "both");
  BOOST_TEST(result.explanation->hits.front().tags == (Ids{"norway", "opera"}));
}

BOOST_FIXTURE_TEST_CASE(routed_tags_boost_by_their_cosine, Tagged) {
  index.set_tag_embedding("ana", "oslo", std::vector<float>{0.6f, 0.8f});
  index.set_tag_embedding("ana", "other", std::vector<float>{-1.0f, 0.0f});
  const SearchResult result = index.search({.user = "ana",
                                            .embedding = {2.0f, 0.0f},
                                            .route = 5,
                                            .views = {{View::symbolic}},
                                            .explain = true});
  BOOST_TEST(ids_of(result) == (Ids{"oslo", "both", "opera"}));
  BOOST_TEST(close(result.hits[0].score, 0.6));
  BOOST_TEST(close(result.hits[1].score, 0.3));
  BOOST_TEST(result.explanation->routed.size() == 2u);  // one of them too far off to boost
  BOOST_TEST(close(result.explanation->routed[1].second, -1.0));
}

BOOST_AUTO_TEST_CASE(k_records_come_back_whenever_they_exist) {
  std::mt19937 random(1);
  Index index(IndexConfig{.dim = 4});
  std::vector<Item> items;
  for (int i = 0; i < 300; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i, .metadata = i % 3 == 0 ? R"({"x": 1})" : ""});
    if (i % 2 == 0) items.back().embedding = test::random_vector(4, random);
  }
  test::add(index, items);
  for (const uint32_t k : {1u, 100u, 149u, 150u, 151u, 299u, 300u, 5000u}) {
    Query query{.user = "ana", .embedding = {1.0f, 0.0f, 0.0f, 0.0f}, .k = k};
    BOOST_TEST(index.search(query).hits.size() == std::min(k, 300u));
    query.where = R"({"x": 1})";
    query.explain = true;
    const SearchResult result = index.search(query);
    BOOST_REQUIRE(result.hits.size() == std::min(k, 100u));
    Micros newest = 1000;
    for (size_t i = 0; i < result.hits.size(); ++i) {
      BOOST_TEST(result.explanation->hits[i].backfilled == (i >= 50));
      if (i < 50) continue;
      BOOST_TEST(result.hits[i].at < newest);  // newest first
      newest = result.hits[i].at;
    }
  }
}

BOOST_AUTO_TEST_CASE(explanations_tell_views_interval_and_neighbour) {
  Index index(IndexConfig{.dim = 1});
  test::add(index, {{.id = "hit", .at = 10, .text = "opera tickets", .session = "s"},
                    {.id = "next", .at = 11, .text = "something else", .session = "s"},
                    {.id = "far", .at = 99, .text = "opera", .session = "s"}});
  const SearchResult result = index.search({.user = "ana",
                                            .text = "Opera ticket",
                                            .between = {{{5, 8}, {8, 20}}},
                                            .neighbors = 1,
                                            .explain = true});
  BOOST_TEST(ids_of(result) == (Ids{"hit", "next"}));
  const SearchExplanation& explanation = *result.explanation;
  BOOST_TEST(explanation.tokens == (Ids{"opera", "ticket"}));
  BOOST_TEST(explanation.records == 3u);
  BOOST_TEST(explanation.admissible == 2u);
  BOOST_TEST(explanation.depth == 100u);
  BOOST_TEST((explanation.hits[0].interval == Interval{5, 20}));
  BOOST_TEST(explanation.hits[0].neighbor_of == "");
  BOOST_TEST(explanation.hits[1].neighbor_of == "hit");
  BOOST_TEST(explanation.hits[1].neighbor_boost == result.hits[0].score / 2);
  BOOST_TEST(result.hits[0].views[1].rank == 1u);
  BOOST_TEST(result.hits[1].views[1].rank == 0u);
}

BOOST_AUTO_TEST_CASE(how_the_rows_were_read_does_not_change_the_answer) {
  std::mt19937 random(2);
  Index index(IndexConfig{.dim = 8});
  std::vector<Item> items;
  for (int i = 0; i < 400; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i % 7, .metadata = "{\"n\": " + std::to_string(i) + "}"});
    items.back().embedding = i % 5 == 4 ? items[static_cast<size_t>(i) - 1].embedding : test::random_vector(8, random);
  }
  test::add(index, items);
  Query query{.user = "ana", .embedding = test::random_vector(8, random), .k = 400, .explain = true};
  const SearchResult full = index.search(query);
  BOOST_TEST(full.explanation->scan == std::string("probe"));
  std::map<std::string, float> scores;
  for (const Hit& hit : full.hits) scores[hit.id] = hit.score;
  for (const auto& [limit, scan] : std::vector<std::pair<int, std::string>>{{50, "gather"}, {300, "masked probe"}}) {
    query.where = "{\"n\": {\"$lt\": " + std::to_string(limit) + "}}";
    const SearchResult filtered = index.search(query);
    BOOST_TEST(filtered.explanation->scan == scan);
    Ids wanted;
    for (const Hit& hit : full.hits) {
      if (std::stoi(hit.id.substr(1)) < limit) wanted.push_back(hit.id);
    }
    BOOST_TEST(ids_of(filtered) == wanted);
    for (const Hit& hit : filtered.hits) BOOST_TEST(hit.score == scores[hit.id]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
