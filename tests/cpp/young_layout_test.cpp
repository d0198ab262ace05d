// Rows in a layout, in a young one and fresh: every way to search finds what it should in all three, whatever the filter is, and
// reads nothing where no row can be in time.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "base/top_k.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/unit_vector.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(young_layout)

constexpr size_t kDim = 48;
constexpr Slot kLaidOut = 4000;
constexpr Slot kYoung = 1500;
constexpr Slot kFresh = 200;
constexpr Slot kAll = kLaidOut + kYoung + kFresh;

// The time of a row is its slot. Every third topic is new to the young rows, every fifth of all to the fresh ones.
struct Fixture {
  size_t topic_count;
  std::mt19937 random{8};
  test::ClusteredVectors topics{kDim, topic_count, random};
  VectorTable table{RowShape(kDim)};
  VectorScratch scratch;

  explicit Fixture(size_t count = 60, Slot young = kYoung) : topic_count(count) {
    add(0, kLaidOut, count * 4 / 6);
    lay_out(LayoutScope::all);
    add(kLaidOut, young / 2, count * 5 / 6);
    lay_out(LayoutScope::young);
    add(kLaidOut + young / 2, young / 2, count * 11 / 12);
    lay_out(LayoutScope::young);
    add(kLaidOut + young, kFresh, count);
    BOOST_TEST_REQUIRE(table.layout()->size == kLaidOut);
    BOOST_TEST_REQUIRE(table.young_layout()->size == young);
    BOOST_TEST_REQUIRE(table.fresh_rows() == kFresh);
  }
  void add(Slot first, Slot count, size_t known) {
    std::vector<float> row(kDim);
    for (Slot slot = first; slot < first + count; ++slot) {
      normalize(topics.near(random() % known), row.data());
      table.add(slot, slot, row);
    }
  }
  void lay_out(LayoutScope scope) {
    table.begin_layout(scope);
    LayoutInput input{kDim};
    for (Slot slot = 0; slot < table.slots(); ++slot) {
      if (!table.pending(slot)) continue;
      input.slots.push_back(slot);
      input.ats.push_back(slot);
      input.rows.push_back(table.row(slot));
      input.tags.offsets.push_back(0);
    }
    BuiltLayout built = plan_layout(input);
    VectorTable::Places places;
    while (!table.copy_places(places, 1000)) continue;
    VectorTable::put_places(*built.layout, scope, places);
    table.offer_layout(std::move(built.layout), std::move(places), built.max_scale);
    table.install_layout();
  }
  std::vector<float> question() {
    std::vector<float> unit(kDim);
    normalize(topics.near(random() % topic_count), unit.data());
    return unit;
  }
  template <typename Admits>
  std::vector<Slot> best(const float* query, size_t k, Admits admits) {
    std::vector<Candidate> all;
    for (Slot slot = 0; slot < table.slots(); ++slot) {
      if (table.has(slot) && admits(slot)) all.push_back({table.cosine(query, slot), slot});
    }
    return best_of(all, k);
  }
  std::vector<Slot> best_of(std::vector<Candidate> all, size_t k) {
    std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    std::vector<Slot> slots;
    for (size_t i = 0; i < std::min(k, all.size()); ++i) slots.push_back(all[i].slot);
    std::sort(slots.begin(), slots.end());
    return slots;
  }
  // The share of the k best of 60 questions that are found.
  template <typename Admits>
  double recall(const VectorFilter& filter, Admits admits, VectorSearchStats& stats, size_t k = 10) {
    size_t found = 0, wanted = 0;
    for (int i = 0; i < 60; ++i) {
      const std::vector<float> query = question();
      const std::vector<Slot> truth = best(query.data(), k, admits);
      if (!table.nearest(query.data(), k, 0.995f, filter, scratch, stats)) {
        std::vector<Slot> slots;
        for (Slot slot = 0; slot < table.slots(); ++slot) {
          if (table.has(slot) && admits(slot)) slots.push_back(slot);
        }
        table.nearest_of(query.data(), k, slots, scratch, stats);
      }
      const std::vector<Slot> got = best_of(scratch.rescored, k);
      for (const Slot slot : got) BOOST_TEST(admits(slot));
      std::vector<Slot> both;
      std::set_intersection(got.begin(), got.end(), truth.begin(), truth.end(), std::back_inserter(both));
      found += both.size();
      wanted += truth.size();
    }
    return wanted == 0 ? 1.0 : static_cast<double>(found) / static_cast<double>(wanted);
  }
};

BOOST_FIXTURE_TEST_CASE(searches_find_the_best_of_all_three, Fixture) {
  VectorSearchStats stats;
  BOOST_TEST(recall({}, [](Slot) { return true; }, stats) >= 0.99);
  BOOST_TEST(stats.rows_read < 60u * kAll / 2);
  BOOST_TEST(stats.blocks == 60u * table.blocks());
}

BOOST_FIXTURE_TEST_CASE(times_are_looked_for_where_they_can_be, Fixture) {
  struct Range {
    Slot start;
    Slot end;
    bool laid_out;
    bool young;
  };
  for (const Range& range : {Range{100, 2000, true, false}, Range{3000, 5000, true, true}, Range{4100, 5400, false, true},
                             Range{4000, 5500, false, true}, Range{5400, 5700, false, true}, Range{5500, 5700, false, false},
                             Range{0, kAll, true, true}, Range{9000, 9900, false, false}}) {
    BOOST_TEST_CONTEXT(range.start << " to " << range.end) {
      const std::vector<Interval> intervals = {{range.start, range.end}};
      const auto admits = [&](Slot slot) { return slot >= range.start && slot < range.end; };
      VectorFilter filter{.intervals = intervals};
      VectorSearchStats stats;
      BOOST_TEST(recall(filter, admits, stats) >= 0.99);
      const size_t blocks = (range.laid_out ? table.layout()->blocks.size() : 0) + (range.young ? table.young_layout()->blocks.size() : 0);
      BOOST_TEST(stats.blocks == 60u * blocks);
      filter.count = std::min(range.end, kAll) - std::min(range.start, kAll);  // it may give up
      BOOST_TEST(recall(filter, admits, stats) >= 0.99);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(masks_hold_everywhere, Fixture) {
  Bitset third;
  third.resize(kAll);
  for (Slot slot = 0; slot < kAll; slot += 3) third.set(slot);
  VectorFilter filter{.admitted = &third};
  VectorSearchStats stats;
  BOOST_TEST(recall(filter, [&](Slot slot) { return slot % 3 == 0; }, stats) >= 0.99);
}

// Of a hundred rows a handful lies in the smaller layout, and these are better than the hundred best of that layout have to be.
BOOST_AUTO_TEST_CASE(the_smaller_one_is_looked_through_for_few_that_are_better) {
  Fixture scattered(200, 400);
  Bitset most;
  most.assign(scattered.table.slots(), true);
  most.reset(7);
  VectorSearchStats stats;
  BOOST_TEST(scattered.recall({.admitted = &most}, [](Slot slot) { return slot != 7; }, stats, 100) >= 0.99);
}

BOOST_FIXTURE_TEST_CASE(exact_searches_read_all_three, Fixture) {
  ChunkedVector<Micros> ats;
  for (Slot slot = 0; slot < kAll; ++slot) ats.push_back(slot);
  const IdTable ids;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> query = question();
    std::vector<Candidate> kept;
    TopK top(10, Recency(ats, ids), kept);
    VectorSearchStats stats;
    RowScan search{query.data(), 10, &scratch, &stats, &top};
    table.scan({&search, 1});
    BOOST_TEST(best_of(kept, 10) == best(query.data(), 10, [](Slot) { return true; }), boost::test_tools::per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(rows_that_go_are_not_found_again, Fixture) {
  for (Slot slot = 0; slot < kAll; slot += 2) table.remove(slot);
  BOOST_TEST(table.layout()->dead == kLaidOut / 2);
  BOOST_TEST(table.young_layout()->dead == kYoung / 2);
  BOOST_TEST(table.changed_rows() == (kLaidOut + kYoung + kFresh) / 2);
  VectorSearchStats stats;
  BOOST_TEST(recall({}, [](Slot slot) { return slot % 2 == 1; }, stats) >= 0.99);
}

BOOST_FIXTURE_TEST_CASE(everything_is_laid_out_together_again, Fixture) {
  BOOST_TEST(table.late_places() == kYoung + kFresh);
  std::vector<Slot> late;
  for (size_t i = 0; i < table.late_places(); ++i) late.push_back(table.late_slot(i));
  std::sort(late.begin(), late.end());
  for (Slot i = 0; i < kYoung + kFresh; ++i) BOOST_REQUIRE(late[i] == kLaidOut + i);
  lay_out(LayoutScope::all);
  BOOST_TEST(table.young_layout() == nullptr);
  BOOST_TEST(table.layout()->size == kAll);
  BOOST_TEST(table.late_places() == 0u);
  BOOST_TEST(table.fragmentation() == 0.0);
  VectorSearchStats stats;
  BOOST_TEST(recall({}, [](Slot) { return true; }, stats) >= 0.99);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
