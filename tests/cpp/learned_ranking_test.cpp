#include "ranking/learned.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "memspan/error.hpp"
#include "support/messages.hpp"
#include "support/nets.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(learned_ranking)

using test::Ids;
using test::ids_of;
using test::Item;
using test::search_ids;

constexpr size_t kDim = 8;

std::shared_ptr<Ranking> ranking(const std::vector<std::pair<RankFeature, float>>& weights) {
  auto made = std::make_shared<Ranking>();
  for (const auto& [feature, weight] : weights) made->weights[static_cast<size_t>(feature)] = weight;
  return made;
}

std::shared_ptr<Ranking> random_ranking(std::mt19937& random) {
  auto made = std::make_shared<Ranking>();
  std::normal_distribution<float> normal;
  for (float& weight : made->weights) weight = normal(random);
  return made;
}

struct Fixture {
  Index index{IndexConfig{.dim = kDim}};
  std::mt19937 random{4};

  // Sessions of eight, vaults and records without this or that among them.
  void add_records(int count, const std::string& user = "ana") {
    std::vector<Item> items;
    for (int i = 0; i < count; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = i, .user = user};
      for (unsigned words = random() % 8; words > 0; --words) item.text += "w" + std::to_string(random() % 30) + " ";
      if (random() % 4 == 0) item.text += "?";
      if (random() % 8 != 0) item.embedding = test::random_vector(kDim, random);
      if (random() % 8 != 0) item.session = "s" + std::to_string(i / 8);
      if (random() % 8 == 0) item.kind = Kind::vault;
      item.speaker = random() % 2 == 0 ? "ana" : "bob";
      item.tags = {"t" + std::to_string(random() % 5)};
      items.push_back(item);
    }
    test::add(index, items);
  }
  Query question() {
    Query query{.user = "ana", .fusion = Fusion::learned};
    query.text = "w1 w2 w3 of bob";
    query.embedding = test::random_vector(kDim, random);
    query.ranking = random_ranking(random);
    return query;
  }
  std::shared_ptr<Ranking> with_net(const std::shared_ptr<const Ranking>& ranking) {
    auto made = std::make_shared<Ranking>(*ranking);
    made->net = test::random_net(random);
    return made;
  }
};

BOOST_FIXTURE_TEST_CASE(scores_are_features_times_weights_and_what_the_net_answers_best_first, Fixture) {
  add_records(400);
  for (int round = 0; round < 20; ++round) {
    Query query = question();
    if (round % 2 == 1) query.ranking = with_net(query.ranking);
    query.depth = 50;
    query.k = 40;
    const RankingFeatures features = index.features(query);
    BOOST_REQUIRE(features.ids.size() == features.rows.size());
    std::vector<std::pair<float, std::string>> wanted;
    for (size_t i = 0; i < features.ids.size(); ++i) {
      float score = query.ranking->net ? (*query.ranking->net)(features.rows[i]) : 0.0f;
      for (size_t f = 0; f < kRankFeatures; ++f) score += query.ranking->weights[f] * features.rows[i][f];
      wanted.emplace_back(score, features.ids[i]);
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    const SearchResult result = index.search(query);
    BOOST_REQUIRE(result.hits.size() == 40u);
    for (size_t i = 0; i < result.hits.size(); ++i) {
      BOOST_TEST(std::abs(result.hits[i].score - wanted[i].first) < 1e-4f);
      const bool tied = i + 1 < wanted.size() && wanted[i + 1].first == wanted[i].first;
      if (tied || (i > 0 && wanted[i - 1].first == wanted[i].first)) continue;
      BOOST_TEST(result.hits[i].id == wanted[i].second);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(k_cuts_the_ranking, Fixture) {
  add_records(300);
  Query query = question();
  query.k = 200;
  query.depth = 200;
  const Ids all = search_ids(index, query);
  BOOST_REQUIRE(all.size() == 200u);
  for (const uint32_t k : {1u, 7u, 50u}) {
    query.k = k;
    BOOST_TEST(search_ids(index, query) == Ids(all.begin(), all.begin() + k));
  }
}

BOOST_FIXTURE_TEST_CASE(ties_are_newer_first_and_of_one_time_the_later_id, Fixture) {
  const std::vector<float> same(kDim, 1.0f);
  test::add(index, {{.id = "b", .at = 5, .text = "fjord", .embedding = same},
                    {.id = "c", .at = 9, .text = "fjord", .embedding = same},
                    {.id = "a", .at = 5, .text = "fjord", .embedding = same},
                    {.id = "d", .at = 1, .text = "fjord", .embedding = same}});
  Query query{.user = "ana", .text = "fjord", .embedding = same, .fusion = Fusion::learned};
  query.ranking = ranking({{RankFeature::cosine_z, 1.0f}, {RankFeature::bm25_z, 1.0f}});
  BOOST_TEST(search_ids(index, query) == (Ids{"c", "b", "a", "d"}));
  query.k = 2;
  BOOST_TEST(search_ids(index, query) == (Ids{"c", "b"}));
  query.ranking = ranking({});
  BOOST_TEST(search_ids(index, query) == (Ids{"c", "b"}));
}

BOOST_FIXTURE_TEST_CASE(weights_decide_and_may_be_negative, Fixture) {
  test::add(index, {{.id = "asks", .at = 1, .text = "a boat?"}, {.id = "tells", .at = 2, .text = "a boat"}});
  Query query{.user = "ana", .text = "boat", .fusion = Fusion::learned};
  query.ranking = ranking({{RankFeature::asks, 1.0f}});
  BOOST_TEST(search_ids(index, query) == (Ids{"asks", "tells"}));
  query.ranking = ranking({{RankFeature::asks, -1.0f}});
  BOOST_TEST(search_ids(index, query) == (Ids{"tells", "asks"}));
  BOOST_TEST(index.search(query).hits.back().score == -1.0f);
}

BOOST_FIXTURE_TEST_CASE(neighbours_that_no_view_found_can_come_first, Fixture) {
  test::add(index, {{.id = "answer", .at = 2, .text = "in june", .session = "s"},
                    {.id = "question", .at = 1, .text = "when do you sail?", .session = "s"},
                    {.id = "far", .at = 9, .text = "else", .session = "s"}});
  Query query{.user = "ana", .text = "sail", .fusion = Fusion::learned};
  query.ranking = ranking({{RankFeature::after_question, 1.0f}});
  const SearchResult result = index.search(query);
  BOOST_TEST(ids_of(result) == (Ids{"answer", "far", "question"}));
  for (const ViewScore& view : result.hits[0].views) BOOST_TEST(view.rank == 0u);
  BOOST_TEST(result.hits[2].views[1].rank == 1u);
}

BOOST_FIXTURE_TEST_CASE(k_records_come_back_whenever_they_exist, Fixture) {
  add_records(300);
  Query query = question();
  query.kinds = {{Kind::episodic}};
  size_t episodic = 0;
  Query all{.user = "ana", .k = 1000};
  all.kinds = query.kinds;
  episodic = index.search(all).hits.size();
  for (const uint32_t k : {1u, 100u, 250u, 300u, 5000u}) {
    query.k = k;
    query.depth = 1;
    query.explain = true;
    const SearchResult result = index.search(query);
    BOOST_REQUIRE(result.hits.size() == std::min<size_t>(k, episodic));
    std::set<std::string> distinct;
    bool filling = false;
    float lowest = 0.0f;
    for (size_t i = 0; i < result.hits.size(); ++i) {
      if (i > 0) BOOST_TEST(result.hits[i].score <= result.hits[i - 1].score);
      distinct.insert(result.hits[i].id);
      const HitExplanation& explanation = result.explanation->hits[i];
      BOOST_TEST((!filling || explanation.backfilled));  // fillers come last, newest first
      if (filling && explanation.backfilled) BOOST_TEST(result.hits[i].at < result.hits[i - 1].at);
      if (explanation.backfilled) {
        BOOST_TEST(explanation.features.empty());
        BOOST_TEST(result.hits[i].score == lowest);
      }
      lowest = std::min(lowest, result.hits[i].score);
      filling = explanation.backfilled;
    }
    BOOST_TEST(distinct.size() == result.hits.size());
  }
}

BOOST_FIXTURE_TEST_CASE(filters_hold_for_neighbours_too, Fixture) {
  add_records(800);
  std::map<std::string, Kind> kinds;
  for (const Kind kind : {Kind::episodic, Kind::vault}) {
    Query listing{.user = "ana", .k = 1000};
    listing.kinds = {{kind}};
    for (const std::string& id : search_ids(index, listing)) kinds[id] = kind;
  }
  for (int round = 0; round < 10; ++round) {
    Query query = question();
    query.k = 1000;
    for (const std::string& id : search_ids(index, query)) BOOST_TEST((kinds.at(id) != Kind::vault));
    for (const std::string& id : index.features(query).ids) BOOST_TEST((kinds.at(id) != Kind::vault));
    query.kinds = {{Kind::vault}};
    for (const std::string& id : search_ids(index, query)) BOOST_TEST((kinds.at(id) == Kind::vault));
    query.kinds.reset();
    query.between = {{100, 200}, {300, 320}};
    for (const Hit& hit : index.search(query).hits) {
      BOOST_TEST(((hit.at >= 100 && hit.at < 200) || (hit.at >= 300 && hit.at < 320)));
    }
    query.between.reset();
    query.require_tags = {"t1"};
    Query tagged{.user = "ana", .require_tags = {"t1"}, .k = 1000};
    const Ids carriers = search_ids(index, tagged);
    for (const std::string& id : search_ids(index, query)) {
      BOOST_TEST((std::count(carriers.begin(), carriers.end(), id) == 1));
    }
    query.require_tags.clear();
    query.k = 5;
    const Ids best = search_ids(index, query);
    query.exclude = best;
    for (const std::string& id : search_ids(index, query)) BOOST_TEST((std::count(best.begin(), best.end(), id) == 0));
  }
}

// The same answer as from a user that never had the refused records, as far as the words' statistics allow. Turns between
// which one was refused are no neighbours, so that here those who are refused are of no session.
BOOST_FIXTURE_TEST_CASE(refused_records_leave_no_trace_in_what_vectors_say, Fixture) {
  add_records(200);
  Query vaults{.user = "ana", .k = 1000};
  vaults.kinds = {{Kind::vault}};
  for (const Hit& hit : index.search(vaults).hits) {
    test::add(index, {{.id = hit.id, .at = hit.at, .embedding = test::random_vector(kDim, random), .kind = Kind::vault}});
  }
  Query query = question();
  query.text.reset();
  query.k = 50;
  query.exact = true;
  const Ids ids = search_ids(index, vaults);
  BOOST_REQUIRE(!ids.empty());
  query.ranking =
      ranking({{RankFeature::cosine, 1.0f}, {RankFeature::cosine_z, 1.0f}, {RankFeature::session_cosines, 1.0f}});
  const SearchResult before = index.search(query);
  index.remove("ana", std::vector<std::string_view>(ids.begin(), ids.end()));
  const SearchResult after = index.search(query);
  BOOST_TEST(ids_of(before) == ids_of(after));
}

BOOST_FIXTURE_TEST_CASE(one_view_is_ranked_too, Fixture) {
  add_records(200);
  for (const bool semantic : {false, true}) {
    Query query = question();
    if (semantic) query.text.reset();
    if (!semantic) query.embedding.clear();
    query.k = 30;
    query.explain = true;
    const SearchResult result = index.search(query);
    BOOST_REQUIRE(!result.hits.empty());
    for (size_t i = 0; i < result.hits.size(); ++i) {
      BOOST_TEST(!result.explanation->hits[i].features.empty());
      BOOST_TEST(result.hits[i].views[semantic ? 1 : 0].rank == 0u);
      if (i > 0) BOOST_TEST(result.hits[i - 1].score >= result.hits[i].score);
    }
    BOOST_TEST(index.features(query).ids.size() >= result.hits.size());
    // Views that are named count as asked, and no other.
    Query both = question();
    both.embedding = semantic ? query.embedding : both.embedding;
    both.ranking = query.ranking;
    both.views = {{semantic ? View::semantic : View::lexical}};
    both.k = 30;
    BOOST_TEST(search_ids(index, both) == ids_of(result));
  }
}

BOOST_FIXTURE_TEST_CASE(tags_alone_are_ranked, Fixture) {
  add_records(100);
  Query query{.user = "ana", .tags = {"t1"}, .k = 100, .fusion = Fusion::learned};
  query.ranking = ranking({{RankFeature::tagged, 1.0f}});
  const SearchResult result = index.search(query);
  BOOST_REQUIRE(!result.hits.empty());
  BOOST_TEST(result.hits.front().score == 1.0f);
  BOOST_TEST(result.hits.front().views[2].rank > 0u);
}

// Filters alone list the newest, whatever the fusion; on a thread that has ranked before, or never.
BOOST_FIXTURE_TEST_CASE(a_listing_needs_no_ranking, Fixture) {
  add_records(50);
  add_records(500, "bob");
  Query query{.user = "ana", .k = 20};
  const Ids wanted = search_ids(index, query);
  query.fusion = Fusion::learned;
  query.ranking = random_ranking(random);
  query.explain = true;
  const auto check = [&] {
    const SearchResult result = index.search(query);
    BOOST_TEST(ids_of(result) == wanted);
    for (const HitExplanation& each : result.explanation->hits) BOOST_TEST(each.features.empty());
    BOOST_TEST(index.features(query).ids.empty());
  };
  std::thread(check).join();
  Query other = question();
  other.user = "bob";
  other.explain = true;
  index.search(other);
  check();
}

BOOST_FIXTURE_TEST_CASE(parts_of_a_score_add_up_to_it, Fixture) {
  add_records(300);
  for (int round = 0; round < 10; ++round) {
    Query query = question();
    const bool net = round % 2 == 1;
    if (net) query.ranking = with_net(query.ranking);
    query.tags = {"t1"};
    query.k = 100;
    query.explain = true;
    const SearchResult result = index.search(query);
    std::map<std::string, FeatureRow> rows;
    const RankingFeatures features = index.features(query);
    for (size_t i = 0; i < features.ids.size(); ++i) rows[features.ids[i]] = features.rows[i];
    for (size_t i = 0; i < result.hits.size(); ++i) {
      if (result.explanation->hits[i].backfilled) continue;
      const float by_net = net ? (*query.ranking->net)(rows.at(result.hits[i].id)) : 0.0f;
      BOOST_TEST(result.explanation->hits[i].net == by_net);
      double sum = 0.0;
      float largest = std::numeric_limits<float>::infinity();
      std::set<RankFeature> seen;
      for (const auto& [feature, part] : result.explanation->hits[i].features) {
        BOOST_TEST(part != 0.0f);
        BOOST_TEST(std::abs(part) <= largest);
        largest = std::abs(part);
        BOOST_TEST(seen.insert(feature).second);
        sum += static_cast<double>(part);
      }
      BOOST_TEST(std::abs(sum - static_cast<double>(result.hits[i].score)) < 1e-3);
    }
    // Explaining changes nothing.
    query.explain = false;
    BOOST_TEST(test::same_hits(index.search(query), result));
  }
}

BOOST_FIXTURE_TEST_CASE(users_with_little_are_no_trouble, Fixture) {
  Query query = question();
  BOOST_TEST(search_ids(index, query).empty());  // no such user
  BOOST_TEST(index.features(query).ids.empty());
  test::add(index, {{.id = "only", .user = "ana"}});
  BOOST_TEST(search_ids(index, query) == (Ids{"only"}));  // backfilled
  BOOST_TEST(index.features(query).ids.empty());
  test::remove(index, "ana", {"only"});
  BOOST_TEST(search_ids(index, query).empty());
  test::add(index, {{.id = "a", .text = "w1"}, {.id = "b", .embedding = query.embedding}});
  BOOST_TEST(search_ids(index, query).size() == 2u);
  query.text = "the of and";  // no word
  BOOST_TEST(search_ids(index, query).size() == 2u);
  query.embedding.clear();
  query.text = "";
  BOOST_TEST(search_ids(index, query).empty());
}

BOOST_FIXTURE_TEST_CASE(users_keep_to_themselves, Fixture) {
  add_records(200);
  const Query query = question();
  const SearchResult alone = index.search(query);
  add_records(500, "bob");
  Query other = query;
  other.user = "bob";
  index.search(other);
  BOOST_TEST(test::same_hits(index.search(query), alone));
}

BOOST_FIXTURE_TEST_CASE(removals_and_consolidation_leave_the_ranking, Fixture) {
  add_records(400);
  Query query = question();
  query.exact = true;
  query.k = 100;
  std::vector<std::string_view> gone;
  Ids names;
  for (int i = 0; i < 400; i += 3) names.push_back("r" + std::to_string(i));
  gone.assign(names.begin(), names.end());
  index.remove("ana", gone);
  const RankingFeatures before = index.features(query);
  index.consolidate("ana", true);
  const RankingFeatures after = index.features(query);
  const auto by_id = [](const RankingFeatures& features) {
    std::map<std::string, FeatureRow> rows;
    for (size_t i = 0; i < features.ids.size(); ++i) rows[features.ids[i]] = features.rows[i];
    return rows;
  };
  const auto a = by_id(before);
  const auto b = by_id(after);
  BOOST_REQUIRE(a.size() == b.size());
  for (const auto& [id, row] : a) {
    BOOST_REQUIRE(b.contains(id));
    for (size_t f = 0; f < kRankFeatures; ++f) {
      // The spread is estimated from records that lie elsewhere now.
      const std::string_view name = kRankFeatureNames[f];
      const bool spread = name.find("cosine") != std::string_view::npos || name.starts_with("with");
      BOOST_TEST(std::abs(row[f] - b.at(id)[f]) < (spread ? 1.0f : 1e-4f), kRankFeatureNames[f]);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(bad_queries_are_refused_by_name, Fixture) {
  add_records(10);
  struct Case {
    std::string argument;
    std::function<void(Query&)> spoil;
  };
  const auto spoil_weight = [](Query& query, float weight) {
    auto spoilt = std::make_shared<Ranking>(*query.ranking);
    spoilt->weights[static_cast<size_t>(RankFeature::named)] = weight;
    query.ranking = spoilt;
  };
  const auto spoil_hints = [](Query& query, std::vector<Interval> hints) {
    auto spoilt = std::make_shared<Ranking>(*query.ranking);
    spoilt->hints = std::move(hints);
    query.ranking = spoilt;
  };
  const std::vector<Case> cases = {
      {"ranking", [](Query& q) { q.ranking = nullptr; }},
      {"neighbors", [](Query& q) { q.neighbors = 1; }},
      {"ranking[named]", [&](Query& q) { spoil_weight(q, std::numeric_limits<float>::quiet_NaN()); }},
      {"ranking[named]", [&](Query& q) { spoil_weight(q, -std::numeric_limits<float>::infinity()); }},
      {"ranking[named]", [&](Query& q) { spoil_weight(q, 1e30f); }},
      {"hints[1]", [&](Query& q) { spoil_hints(q, {{0, 1}, {5, 4}}); }},
      {"hints", [&](Query& q) { spoil_hints(q, std::vector<Interval>(limits::kIntervals + 1)); }},
  };
  for (const Case& each : cases) {
    Query query = question();
    index.search(query);
    each.spoil(query);
    BOOST_CHECK_EXCEPTION(index.search(query), InvalidArgument, test::Mentions({each.argument}));
    BOOST_CHECK_EXCEPTION(index.features(query), InvalidArgument, test::Mentions({each.argument}));
  }
  Query query = question();
  query.fusion = Fusion::rrf;
  BOOST_CHECK_EXCEPTION(index.features(query), InvalidArgument, test::Mentions({"fusion", "learned"}));
}

BOOST_FIXTURE_TEST_CASE(names_are_the_users_speakers_and_tags, Fixture) {
  BOOST_TEST(index.names("ana").speakers.empty());
  test::add(index, {{.id = "1", .tags = {"sea", "boat"}, .speaker = "Zoe"},
                    {.id = "2", .tags = {"sea"}, .speaker = "Bob"},
                    {.id = "3", .speaker = "Zoe"},
                    {.id = "4"},
                    {.id = "5", .tags = {"hill"}, .speaker = "Eve", .user = "bob"}});
  index.relate("ana", "sea", "isle");
  BOOST_TEST(index.names("ana").speakers == (Ids{"Bob", "Zoe"}));
  BOOST_TEST(index.names("ana").tags == (Ids{"boat", "isle", "sea"}));
  BOOST_TEST(index.names("bob").speakers == (Ids{"Eve"}));
  test::add(index, {{.id = "3", .speaker = "Zoe"}, {.id = "6", .speaker = "Max", .retired_at = 1}});
  BOOST_TEST(index.names("ana").speakers == (Ids{"Bob", "Zoe"}));  // Max said what nobody believes any more
  test::remove(index, "ana", {"1", "2"});
  BOOST_TEST(index.names("ana").speakers == (Ids{"Zoe"}));
  BOOST_TEST(index.names("ana").tags == (Ids{"isle", "sea"}));
  std::vector<Item> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back({.id = std::to_string(i), .speaker = "s" + std::to_string(1000 + i % 200)});
  }
  test::add(index, many);
  const Ids speakers = index.names("ana").speakers;
  BOOST_TEST(speakers.size() == 200u);
  BOOST_TEST(std::is_sorted(speakers.begin(), speakers.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
