#include "vectors/score_scatter.hpp"

#include <algorithm>
#include <numeric>

namespace memspan {
namespace {

// Those that decide on what a search finds.
constexpr size_t kNearestBlocks = 8;

}  // namespace

void ScoreSums::add(const ClusterLayout& layout, size_t first, std::span<const float> scores) {
  size_t block = layout.block_of(static_cast<uint32_t>(first));
  for (size_t done = 0; done < scores.size(); ++block) {
    const size_t end = std::min<size_t>(layout.blocks[block].end - first, scores.size());
    float sum = 0.0f, squares = 0.0f;
    for (; done < end; ++done) {
      sum += scores[done];
      squares += scores[done] * scores[done];
    }
    of_blocks_[block].scores += static_cast<double>(sum);
    of_blocks_[block].squares += static_cast<double>(squares);
  }
}

ScoreScatter ScoreSums::scatter(const ClusterLayout& layout, std::span<const float> cosines, float scale,
                                std::vector<uint32_t>& order) const {
  order.resize(cosines.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto nearest = order.begin() + static_cast<std::ptrdiff_t>(std::min(kNearestBlocks, order.size()));
  std::partial_sort(order.begin(), nearest, order.end(), [cosines](uint32_t a, uint32_t b) { return cosines[a] > cosines[b]; });
  const auto unit = static_cast<double>(scale) * static_cast<double>(scale);
  ScoreScatter scatter;
  std::for_each(order.begin(), nearest, [&](uint32_t b) {
    const auto rows = static_cast<double>(layout.blocks[b].end - layout.blocks[b].start);
    const auto square = static_cast<double>(cosines[b]) * static_cast<double>(cosines[b]);
    const Sums& sums = of_blocks_[b];
    scatter.observed += std::max(0.0, sums.squares - sums.scores * sums.scores / rows) * unit;
    scatter.along += square * static_cast<double>(layout.variances[b]) * rows;
    scatter.across += (1.0 - square) * static_cast<double>(layout.orthogonals[b]) * rows;
  });
  return scatter;
}

}  // namespace memspan
