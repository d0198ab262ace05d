// The order of rows in a layout, and how many blocks there are.
#include "vectors/layout_builder.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "support/clustered.hpp"
#include "vectors/probe_calibration.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(layout_builder)

constexpr size_t kDim = 16;
constexpr size_t kRecords = 2000;

// Records of eight clusters, of which many share a time.
class Source {
 public:
  explicit Source(bool in_order) : values_(kDim * kRecords) {
    std::mt19937 random(3);
    test::ClusteredVectors vectors(kDim, 8, random);
    for (size_t i = 0; i < kRecords; ++i) {
      normalize(vectors.near(random()), values_.data() + i * kDim);
      ats_.push_back(static_cast<Micros>(random() % 500));
    }
    if (in_order) std::sort(ats_.begin(), ats_.end());
  }

  // The records from here on are of clusters that no other is near.
  void turn_to_new_topics(size_t first) {
    std::mt19937 random(4);
    test::ClusteredVectors vectors(kDim, 8, random);
    for (size_t i = first; i < kRecords; ++i) normalize(vectors.near(random()), values_.data() + i * kDim);
  }

  LayoutInput input(size_t count) const {
    LayoutInput made{RowShape(kDim)};
    for (size_t i = 0; i < count; ++i) {
      made.slots.push_back(static_cast<Slot>(i));
      made.ats.push_back(ats_[i]);
      made.rows.push_back(values_.data() + i * kDim);
      made.tags.add({});
    }
    return made;
  }

 private:
  std::vector<float> values_;
  std::vector<Micros> ats_;
};

// Every record is there once, in blocks that follow on one another, and inside a block by time and slot.
void check_order(const ClusterLayout& layout, size_t records) {
  BOOST_REQUIRE_EQUAL(layout.size, records);
  BOOST_TEST(layout.blocks.size() > 4u);
  std::vector<int> seen(records, 0);
  uint32_t next = 0;
  for (const Block& block : layout.blocks) {
    BOOST_REQUIRE_EQUAL(block.start, next);
    BOOST_REQUIRE(block.start < block.end);
    next = block.end;
    for (uint32_t place = block.start; place < block.end; ++place) {
      ++seen[layout.rows.slot(place)];
      if (place == block.start) continue;
      const auto key = [&](uint32_t p) { return std::pair(layout.rows.ats()[p], layout.rows.slot(p)); };
      BOOST_REQUIRE(key(place - 1) < key(place));
    }
  }
  BOOST_TEST(next == records);
  BOOST_TEST(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(records));
}

BOOST_AUTO_TEST_CASE(blocks_hold_their_rows_in_the_order_of_time_and_slot) {
  for (const bool in_order : {true, false}) {
    const BuiltLayout built = plan_layout(Source(in_order).input(kRecords));
    check_order(*built.layout, kRecords);
  }
}

// All records, those of `base` in its blocks.
BuiltLayout extended(const ClusterLayout& base, const Source& source) {
  LayoutInput input = source.input(kRecords);
  input.base = &base;
  input.blocks.assign(kRecords, kNoCluster);
  for (uint32_t b = 0; b < base.blocks.size(); ++b) {
    for (uint32_t place = base.blocks[b].start; place < base.blocks[b].end; ++place) input.blocks[base.rows.slot(place)] = b;
  }
  return extend_layout(input);
}

BOOST_AUTO_TEST_CASE(rows_that_join_a_layout_are_put_in_order_too) {
  const Source source(false);
  const BuiltLayout base = plan_layout(source.input(kRecords / 2));
  check_order(*extended(*base.layout, source).layout, kRecords);
}

BOOST_AUTO_TEST_CASE(what_is_like_the_rest_joins_without_another_reach) {
  const Source source(false);
  const BuiltLayout base = plan_layout(source.input(kRecords - 300));
  const BuiltLayout built = extended(*base.layout, source);
  BOOST_TEST((built.layout->reach.table() == base.layout->reach.table()));
  BOOST_TEST(built.layout->probed_share == base.layout->probed_share);
}

BOOST_AUTO_TEST_CASE(topics_that_are_near_no_block_get_blocks_of_their_own) {
  constexpr Slot kFirst = kRecords - 300;
  Source source(false);
  const BuiltLayout base = plan_layout(source.input(kFirst));
  source.turn_to_new_topics(kFirst);
  const BuiltLayout built = extended(*base.layout, source);
  check_order(*built.layout, kRecords);
  BOOST_TEST(built.layout->blocks.size() > base.layout->blocks.size());
  BOOST_TEST(built.layout->clusters > base.layout->clusters);
  size_t apart = 0;
  for (size_t b = base.layout->blocks.size(); b < built.layout->blocks.size(); ++b) {
    const Block& block = built.layout->blocks[b];
    BOOST_TEST(block.cluster >= base.layout->clusters);
    BOOST_TEST(block.cluster < built.layout->clusters);
    for (uint32_t place = block.start; place < block.end; ++place) BOOST_TEST(built.layout->rows.slot(place) >= kFirst);
    apart += block.end - block.start;
  }
  BOOST_TEST(apart > 200u);
  BOOST_TEST(built.layout->probed_share <= 2.0f * base.layout->probed_share);
}

BOOST_AUTO_TEST_CASE(searches_reach_further_where_they_would_miss_what_joined) {
  const Source source(false);
  const BuiltLayout built = plan_layout(source.input(kRecords));
  ClusterLayout& layout = *built.layout;
  const ProbeReach known = layout.reach;
  const LayoutInput input = source.input(kRecords);
  RowList rows(input.rows.shape());
  for (uint32_t place = 0; place < kRecords; ++place) rows.push_back(input.rows[layout.rows.slot(place)]);
  std::vector<uint32_t> joined(300);
  std::iota(joined.begin(), joined.end(), 500u);
  std::mt19937 random(5);
  calibrate_joined(layout, rows, joined, random);
  BOOST_TEST((layout.reach.table() == known.table()));

  const float share = layout.probed_share;
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
    for (size_t r = 0; r < ProbeReach::kRecalls.size(); ++r) layout.reach.set(d, r, known.table()[d][r] - 2.0f);
  }
  layout.probed_share = 0.0f;
  calibrate_joined(layout, rows, joined, random);
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
    for (size_t r = 0; r < ProbeReach::kRecalls.size(); ++r) BOOST_TEST(layout.reach.table()[d][r] > known.table()[d][r] - 2.0f);
  }
  BOOST_TEST(layout.probed_share > 0.5f * share);
  calibrate_joined(layout, rows, {}, random);
}

BOOST_AUTO_TEST_CASE(it_is_known_how_low_the_best_of_what_was_tried_score) {
  Source source(false);
  const BuiltLayout base = plan_layout(source.input(kRecords - 300));
  const TriedScores& tried = base.layout->tried;
  for (const float score : tried.table()) BOOST_TEST((score > 0.0f && score < 1.0f));
  BOOST_TEST(tried.at(1) == tried.table()[0]);
  BOOST_TEST(tried.at(2) == tried.table()[1]);
  BOOST_TEST(tried.at(31) == tried.table()[4]);
  BOOST_TEST(tried.at(100) == tried.table()[4]);
  source.turn_to_new_topics(kRecords - 300);
  const BuiltLayout built = extended(*base.layout, source);
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) BOOST_TEST(built.layout->tried.table()[d] <= tried.table()[d]);
}

BOOST_AUTO_TEST_CASE(blocks_grow_with_the_root_of_the_records_up_to_a_bound) {
  BOOST_TEST(planned_blocks(0) == 1.0);
  BOOST_TEST(planned_blocks(10000) == 200.0);
  BOOST_TEST(planned_blocks(1000000) == 2000.0);
  BOOST_TEST(planned_blocks(size_t{1} << 40) == kMostBlocks);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
