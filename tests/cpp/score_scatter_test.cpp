// How scores are scattered within blocks, against sums over all rows; and whether a layout's figures foretell it.
#include "vectors/score_scatter.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "support/records.hpp"
#include "vectors/code_query.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(score_scatter)

constexpr size_t kDim = 64;
constexpr size_t kTopics = 20;
constexpr size_t kRows = 2400;

struct Fixture {
  Fixture() {
    std::vector<std::vector<float>> centers;
    for (size_t topic = 0; topic < kTopics; ++topic) centers.push_back(anywhere());
    LayoutInput input{kDim};
    for (Slot slot = 0; slot < kRows; ++slot) {
      rows.push_back(anywhere());
      for (size_t d = 0; d < kDim; ++d) rows.back()[d] = centers[slot % kTopics][d] + 0.5f * rows.back()[d];
      normalize(rows.back(), rows.back().data());
      input.slots.push_back(slot);
      input.ats.push_back(slot);
    }
    for (const auto& row : rows) input.rows.push_back(row.data());
    layout = plan_layout(input).layout;
  }

  std::vector<float> anywhere() {
    std::normal_distribution<float> normal;
    std::vector<float> vector(kDim);
    for (float& value : vector) value = normal(random);
    normalize(vector, vector.data());
    return vector;
  }

  // Of a query, with codes.
  struct Scored {
    std::vector<float> rows, cosines;
    float scale;
  };
  Scored score(const std::vector<float>& vector) const {
    CodeQuery query;
    query.set(vector.data(), kDim);
    Scored scored{std::vector<float>(kRows), std::vector<float>(layout->blocks.size()), query.scale()};
    query.score(layout->rows, 0, kRows, scored.rows.data());
    query.score(layout->centroids, 0, scored.cosines.size(), scored.cosines.data());
    for (float& cosine : scored.cosines) cosine *= scored.scale;
    return scored;
  }

  std::mt19937 random{5};
  std::vector<std::vector<float>> rows;
  std::unique_ptr<ClusterLayout> layout;
};

BOOST_FIXTURE_TEST_CASE(it_is_summed_over_the_rows_of_the_nearest_blocks, Fixture) {
  const Scored scored = score(rows[7]);
  ScoreSums sums(layout->blocks.size());
  std::vector<uint32_t> room;
  for (int again = 0; again < 2; ++again) {
    sums.reset();
    for (size_t first = 0; first < kRows; first += 100) sums.add(*layout, first, std::span(scored.rows).subspan(first, 100));
  }
  const ScoreScatter scatter = sums.scatter(*layout, scored.cosines, scored.scale, room);

  std::vector<size_t> order(layout->blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scored.cosines[a] > scored.cosines[b]; });
  double observed = 0.0, along = 0.0, across = 0.0;
  for (size_t i = 0; i < 8; ++i) {
    const Block& block = layout->blocks[order[i]];
    double mean = 0.0;
    for (uint32_t p = block.start; p < block.end; ++p) mean += static_cast<double>(scored.rows[p] * scored.scale) / (block.end - block.start);
    for (uint32_t p = block.start; p < block.end; ++p) observed += std::pow(static_cast<double>(scored.rows[p] * scored.scale) - mean, 2.0);
    const double square = std::pow(static_cast<double>(scored.cosines[order[i]]), 2.0);
    along += square * static_cast<double>(layout->variances[order[i]]) * (block.end - block.start);
    across += (1.0 - square) * static_cast<double>(layout->orthogonals[order[i]]) * (block.end - block.start);
  }
  BOOST_TEST(scatter.observed == observed, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(scatter.along == along, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(scatter.across == across, boost::test_tools::tolerance(1e-4));
}

// Rows that are scattered anywhere about their topic have nothing in common beside it: 1 over the dimensions.
BOOST_FIXTURE_TEST_CASE(the_overlap_is_that_of_the_directions_that_rows_are_scattered_over, Fixture) {
  BOOST_TEST(layout->overlap < 1.5f / kDim);
  BOOST_TEST(layout->overlap > 0.5f / kDim);
}

// Also for a query from the middle of a topic, which has next to nothing beside the centroid.
BOOST_FIXTURE_TEST_CASE(a_layout_foretells_how_scores_spread, Fixture) {
  for (size_t q = 0; q < 40; ++q) {
    std::vector<float> vector(kDim, 0.0f);
    const size_t summed = q % 2 == 0 ? 1 : kRows / kTopics;
    for (size_t i = 0; i < summed; ++i) {
      for (size_t d = 0; d < kDim; ++d) vector[d] += rows[q % kTopics + i * kTopics][d];
    }
    normalize(vector, vector.data());
    const Scored scored = score(vector);
    const auto nearest = static_cast<size_t>(std::max_element(scored.cosines.begin(), scored.cosines.end()) - scored.cosines.begin());
    const Block& block = layout->blocks[nearest];
    double sum = 0.0, squares = 0.0, size = 0.0;
    for (uint32_t p = block.start; p < block.end; ++p) {
      const auto score = static_cast<double>(scored.rows[p] * scored.scale);
      if (score > 0.999) continue;  // itself
      sum += score, squares += score * score, size += 1.0;
    }
    const double spread = std::sqrt(squares / size - sum * sum / (size * size));
    const double foretold = static_cast<double>(layout->spread(nearest, std::min(scored.cosines[nearest], 1.0f)));
    BOOST_TEST(foretold < 2.0 * spread);
    BOOST_TEST(foretold > 0.5 * spread);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
