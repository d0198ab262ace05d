// What a trial finds out, against a sort of all rows by their scores.
#include "vectors/probe_trial.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "support/clustered.hpp"
#include "support/records.hpp"
#include "vectors/code_query.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(probe_trial)

constexpr size_t kDim = 40;
constexpr size_t kRows = 1300;  // more than two tiles

struct Fixture {
  Fixture() {
    test::ClusteredVectors source(kDim, 12, random);
    LayoutInput input{kDim};
    for (Slot slot = 0; slot < kRows; ++slot) {
      rows.emplace_back(kDim);
      normalize(source.near(random()), rows.back().data());
      input.slots.push_back(slot);
      input.ats.push_back(slot);
    }
    for (const auto& row : rows) input.rows.push_back(row.data());
    layout = plan_layout(input).layout;
    for (size_t q = 0; q < ProbeTrial::kBatch; ++q) {
      normalize(q % 2 == 0 ? rows[layout->rows.slot(q)] : source.near(random()), queries.data() + q * kDim);
      selves.push_back(q % 2 == 0 ? static_cast<uint32_t>(q) : kNoSlot);
    }
  }

  std::mt19937 random{9};
  std::vector<std::vector<float>> rows;
  std::unique_ptr<ClusterLayout> layout;
  std::vector<float> queries = std::vector<float>(ProbeTrial::kBatch * kDim);
  std::vector<uint32_t> selves;
};

// With memory for what a trial writes.
struct Tried {
  Tried(size_t count, size_t blocks) : cosines(count * blocks), queries(count) {
    for (size_t q = 0; q < count; ++q) queries[q].cosines = std::span(cosines).subspan(q * blocks, blocks);
  }
  const TriedQuery& operator[](size_t q) const { return queries[q]; }

  std::vector<float> cosines;
  std::vector<TriedQuery> queries;
};

BOOST_FIXTURE_TEST_CASE(it_finds_the_best_rows_and_what_their_blocks_needed, Fixture) {
  Tried tried(selves.size(), layout->blocks.size());
  ProbeTrial(*layout, kDim).run(queries.data(), selves.size(), selves.data(), tried.queries.data());
  CodeQuery query;
  for (size_t q = 0; q < selves.size(); ++q) {
    tried.queries[q].note_needed(*layout);
    query.set(queries.data() + q * kDim, kDim);
    std::vector<float> raw(kRows);
    query.score(layout->rows, 0, kRows, raw.data());
    if (selves[q] != kNoSlot) raw[selves[q]] = -1e9f;
    std::vector<float> sorted = raw;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (size_t depth = 0; depth < ProbeReach::kDepths.size(); ++depth) {
      const size_t k = ProbeReach::kDepths[depth];
      BOOST_TEST(tried[q].kth[depth] == sorted[k - 1] * query.scale());
      BOOST_REQUIRE_EQUAL(tried[q].hits(depth), k);
      for (size_t i = 0; i < k; ++i) {
        BOOST_TEST(raw[tried[q].best[i]] == sorted[i]);
        const size_t block = layout->block_of(tried[q].best[i]);
        const float cosine = tried[q].cosines[block];
        const float reach = (tried[q].kth[depth] - cosine * layout->means[block]) / layout->spread(block, cosine);
        BOOST_TEST(tried[q].needed[depth][i] == reach);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_found_for_a_query_does_not_depend_on_the_others, Fixture) {
  const size_t blocks = layout->blocks.size();
  Tried together(selves.size(), blocks);
  ProbeTrial trial(*layout, kDim);
  trial.run(queries.data(), selves.size(), selves.data(), together.queries.data());
  for (size_t q = 0; q < selves.size(); ++q) {
    Tried alone(1, blocks);
    trial.run(queries.data() + q * kDim, 1, &selves[q], alone.queries.data());
    BOOST_TEST(alone[0].best == together[q].best, boost::test_tools::per_element());
    BOOST_TEST(alone[0].kth == together[q].kth, boost::test_tools::per_element());
    BOOST_TEST(alone[0].cosines == together[q].cosines, boost::test_tools::per_element());
    BOOST_TEST(alone[0].scatter.observed == together[q].scatter.observed);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
