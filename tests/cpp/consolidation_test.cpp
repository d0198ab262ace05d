#include "memspan/consolidation.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "support/amount.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(consolidation)

using test::Item;

constexpr size_t kDim = 48;
constexpr size_t kClusters = 24;

struct Fixture {
  std::mt19937 random{3};
  test::ClusteredVectors vectors{kDim, kClusters, random};
  Index index{IndexConfig{.dim = kDim}};
  int next = 0;

  Item item(bool tagged) {
    const size_t cluster = random() % kClusters;
    Item item{.id = "r" + std::to_string(next++), .at = static_cast<Micros>(random() % 1000), .text = "word"};
    item.embedding = vectors.near(cluster);
    if (tagged) item.tags = {"topic" + std::to_string(cluster), "detail" + std::to_string(cluster * 3 + random() % 3)};
    return item;
  }
  void fill(size_t count, bool tagged) {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) items.push_back(item(tagged));
    test::add(index, items);
  }
  Query query(size_t k, bool exact) {
    return {.user = "ana", .embedding = vectors.near(random()), .k = static_cast<uint32_t>(k), .exact = exact};
  }
  // Share of the exact best that is found, over some queries.
  double recall(size_t k, bool in_time) {
    size_t found = 0;
    size_t wanted = 0;
    for (int i = 0; i < 40; ++i) {
      Query probe = query(k, false);
      if (in_time) probe.between = {{{100, 150}, {700, 720}}};
      Query exact = probe;
      exact.exact = true;
      std::set<std::string> truth;
      for (const Hit& hit : index.search(exact).hits) truth.insert(hit.id);
      for (const Hit& hit : index.search(probe).hits) found += truth.contains(hit.id);
      wanted += truth.size();
    }
    return static_cast<double>(found) / static_cast<double>(wanted);
  }
  // Of a search, on average.
  double rows_read() {
    constexpr int kQueries = 50;
    uint64_t rows = 0;
    for (int i = 0; i < kQueries; ++i) {
      Query asked = query(10, false);
      asked.explain = true;
      rows += index.search(asked).explanation->rows_read;
    }
    return static_cast<double>(rows) / kQueries;
  }
};

BOOST_FIXTURE_TEST_CASE(an_unknown_user_has_nothing_to_lay_out, Fixture) {
  BOOST_TEST(index.consolidate("bob", true).users == 0u);
  BOOST_TEST(index.consolidate_all(true).users == 0u);
  BOOST_TEST(index.layout_map("bob").empty());
}

BOOST_FIXTURE_TEST_CASE(small_users_are_skipped_unless_forced, Fixture) {
  fill(50, false);
  const ConsolidationReport skipped = index.consolidate("ana", false);
  BOOST_TEST(skipped.users == 1u);
  BOOST_TEST(skipped.skipped == 1u);
  const ConsolidationReport forced = index.consolidate("ana", true);
  BOOST_TEST(forced.records == 50u);
  BOOST_TEST(forced.blocks_after == 1u);
  BOOST_TEST(recall(10, false) == 1.0);
}

BOOST_FIXTURE_TEST_CASE(a_search_reads_less_and_finds_the_same, Fixture, *boost::unit_test::label("long_under_tsan")) {
  for (const bool tagged : {false, true}) {
    index.forget("ana");
    fill(4000, tagged);
    Query explained = query(10, false);
    explained.explain = true;
    const ConsolidationReport report = index.consolidate("ana", false);
    BOOST_TEST(report.skipped == 0u);
    BOOST_TEST(report.records == 4000u);
    BOOST_TEST(report.clustered_by_tags == (tagged ? 1u : 0u));
    BOOST_TEST(report.estimated_gain > 2.0);
    BOOST_TEST(report.fragmentation_before == 1.0);
    BOOST_TEST(report.fragmentation_after == 0.0);
    BOOST_TEST(report.bytes_moved >= 4000 * kDim);
    if (tagged) BOOST_TEST(report.cohesion_after > report.cohesion_before);
    BOOST_TEST(recall(10, false) >= 0.99);
    BOOST_TEST(recall(100, false) >= 0.99);
    BOOST_TEST(recall(10, true) >= 0.99);
    // Nothing has changed, so that nothing is to be gained.
    BOOST_TEST(index.consolidate("ana", false).skipped == 1u);
  }
}

// The fewer are wanted, the further has a block to reach for one of them. Vectors without clusters are the hardest.
BOOST_FIXTURE_TEST_CASE(the_recall_wanted_is_met_for_every_number_of_hits, Fixture,
                        *boost::unit_test::label("long_under_tsan")) {
  std::normal_distribution<float> normal;
  const auto anywhere = [&] {
    std::vector<float> vector(kDim);
    for (float& value : vector) value = normal(random);
    return vector;
  };
  std::vector<Item> items;
  for (int i = 0; i < 6000; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i, .text = "word"});
    items.back().embedding = anywhere();
  }
  test::add(index, items);
  index.consolidate("ana", true);
  for (const float wanted : {0.9f, 0.995f}) {
    for (const uint32_t k : {1u, 2u, 3u, 5u, 10u, 12u, 20u, 50u, 100u}) {
      size_t found = 0;
      for (int i = 0; i < 200; ++i) {
        Query probe{.user = "ana", .embedding = anywhere(), .k = k, .recall = wanted};
        Query exact = probe;
        exact.exact = true;
        std::set<std::string> truth;
        for (const Hit& hit : index.search(exact).hits) truth.insert(hit.id);
        for (const Hit& hit : index.search(probe).hits) found += truth.contains(hit.id);
      }
      BOOST_TEST_CONTEXT("k " << k << ", recall " << wanted) {
        BOOST_TEST(static_cast<double>(found) / (200.0 * k) >= wanted - 0.005);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_layout_map_names_each_tags_home, Fixture) {
  fill(3000, true);
  index.consolidate("ana", true);
  const std::vector<TagSpan> map = index.layout_map("ana");
  BOOST_TEST(map.size() == index.tags("ana").size());
  for (const TagSpan& span : map) {
    BOOST_TEST(span.start < span.end);
    BOOST_TEST(span.end <= 3000u);
    BOOST_TEST(span.records > 0u);
    BOOST_TEST(span.records <= span.end - span.start);
  }
}

// Writes between and during consolidations: what was removed never comes back, what was added is found at once.
BOOST_FIXTURE_TEST_CASE(writes_meanwhile_are_kept, Fixture) {
  fill(3000, true);
  std::set<std::string> gone;
  std::thread upkeep([&] {
    for (int i = 0; i < 6; ++i) index.consolidate("ana", true);
  });
  for (size_t i = 0; i < test::amount(400); ++i) {
    const std::string victim = "r" + std::to_string(random() % static_cast<unsigned>(next));
    test::remove(index, "ana", {victim});
    gone.insert(victim);
    const Item added = item(true);
    test::add(index, std::vector<Item>{added});
    const SearchResult found = index.search({.user = "ana", .embedding = added.embedding, .k = 1});
    BOOST_TEST(found.hits.front().id == added.id);
    for (const Hit& hit : index.search(query(50, false)).hits) BOOST_TEST(!gone.contains(hit.id));
  }
  upkeep.join();
  BOOST_TEST(recall(10, false) >= 0.98);
  const ConsolidationReport last = index.consolidate("ana", true);
  BOOST_TEST(last.records == index.stats("ana")->embeddings);
  BOOST_TEST(last.fragmentation_after == 0.0);
  BOOST_TEST(recall(10, false) >= 0.99);
}

// A search about a topic reads its blocks; one that is about none would choose nearly all, and reads on from one to the next.
BOOST_FIXTURE_TEST_CASE(no_row_is_read_twice_however_many_blocks_a_search_needs, Fixture) {
  fill(4500, false);
  test::ClusteredVectors topics = std::exchange(vectors, test::ClusteredVectors(kDim, 1500, random));
  std::vector<Item> items;
  for (int i = 0; i < 1500; ++i) {  // each of a topic of its own
    items.push_back(item(false));
    items.back().embedding = vectors.near(static_cast<size_t>(i));
  }
  test::add(index, items);
  index.consolidate("ana", true);
  bool read_everything = false;
  bool read_little = false;
  for (int i = 0; i < 60; ++i) {
    Query asked{.user = "ana", .embedding = i % 2 == 0 ? test::random_vector(kDim, random) : topics.near(random())};
    asked.explain = true;
    const SearchResult found = index.search(asked);
    const SearchExplanation& explained = *found.explanation;
    BOOST_TEST(explained.rows_read <= 6000 + explained.blocks);
    std::set<std::string> ids;
    for (const Hit& hit : found.hits) ids.insert(hit.id);
    BOOST_TEST(ids.size() == found.hits.size());
    if (explained.rows_read < 6000) {
      read_little = read_little || explained.blocks_probed < explained.blocks / 2;
      continue;
    }
    read_everything = read_everything || explained.rows_read == 6000 + explained.blocks;
    asked.exact = true;
    BOOST_TEST(test::ids_of(found) == test::ids_of(index.search(asked)));
  }
  BOOST_TEST(read_everything);
  BOOST_TEST(read_little);
}

BOOST_FIXTURE_TEST_CASE(a_layout_survives_a_snapshot, Fixture) {
  fill(2000, true);
  index.consolidate("ana", true);
  fill(50, true);
  test::remove(index, "ana", {"r5", "r77", "r2001"});
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("index");
  index.save(path, "");
  const auto loaded = Index::load(path);
  BOOST_TEST(loaded->layout_map("ana").size() == index.layout_map("ana").size());
  for (int i = 0; i < 30; ++i) {
    const Query probe = query(10, false);
    const SearchResult here = index.search(probe);
    const SearchResult there = loaded->search(probe);
    BOOST_REQUIRE(here.hits.size() == there.hits.size());
    for (size_t h = 0; h < here.hits.size(); ++h) BOOST_TEST(here.hits[h].id == there.hits[h].id);
  }
}

// The clusters are those of the first topics, and the questions are about the others.
struct NewTopics : Fixture {
  void turn_to_new_topics() { vectors = test::ClusteredVectors(kDim, kClusters / 4, random); }
  void lay_out_and_turn(size_t joining) {
    fill(4000, false);
    index.consolidate("ana", true);
    turn_to_new_topics();
    fill(joining, false);
  }
};

BOOST_FIXTURE_TEST_CASE(rows_of_new_topics_are_found_among_the_clusters_of_others, NewTopics) {
  lay_out_and_turn(390);  // too few for clusters of their own
  const ConsolidationReport joined = index.consolidate("ana", false);
  BOOST_TEST(joined.records == 4390u);
  BOOST_TEST(joined.clustered_anew == 0u);
  BOOST_TEST(recall(10, false) >= 0.99);
}

BOOST_FIXTURE_TEST_CASE(clusters_are_found_anew_for_new_topics_before_the_user_has_doubled, NewTopics) {
  index.consolidate_by_itself();
  lay_out_and_turn(1500);
  index.finish_consolidations();
  index.consolidate("ana", false);  // the rows that came last
  BOOST_TEST(recall(10, false) >= 0.99);
  const double now = rows_read();
  index.consolidate("ana", true);
  BOOST_TEST(now < 2.0 * rows_read());
}

// The few that came first join the clusters of others, and tell little of how far searches have to reach for the rest.
BOOST_FIXTURE_TEST_CASE(new_topics_are_found_however_they_came, NewTopics, *boost::unit_test::label("long_under_tsan")) {
  for (const size_t first : {175, 200, 205, 210}) {
    index.forget("ana");
    random.seed(static_cast<unsigned>(first));
    vectors = test::ClusteredVectors(kDim, kClusters, random);
    lay_out_and_turn(first);
    BOOST_TEST(index.consolidate("ana", false).records == 4000 + first);
    fill(1500 - first, false);
    BOOST_TEST(index.consolidate("ana", false).records == 5500u);
    constexpr int kTimes = 10;
    double found = 0.0;
    for (int i = 0; i < kTimes; ++i) found += recall(10, false) / kTimes;
    BOOST_TEST(found >= 0.98);
    const double now = rows_read();
    index.consolidate("ana", true);
    BOOST_TEST(now < 2.0 * rows_read());
  }
}

// They would have to read everything for some rows of many topics.
BOOST_FIXTURE_TEST_CASE(clusters_that_are_outgrown_by_what_joins_are_found_anew_at_once, Fixture) {
  fill(4000, false);
  index.consolidate("ana", true);
  for (int turn = 0; turn < 3; ++turn) {
    vectors = test::ClusteredVectors(kDim, kClusters, random);
    fill(200, false);
  }
  const ConsolidationReport report = index.consolidate("ana", false);
  BOOST_TEST(report.records == 4600u);
  BOOST_TEST(report.clustered_anew == 1u);
  BOOST_TEST(rows_read() < 0.6 * 4600.0);
  BOOST_TEST(recall(10, false) >= 0.99);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
