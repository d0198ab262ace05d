// Rows laid out cluster-major and time-minor (SwiftMem 3.4.2): a cluster is one contiguous span of blocks, a block one
// contiguous span of rows in the order of time, so that a time range inside a block is a sub-span.
//
// Made by a consolidation (layout_builder.hpp), then changed only by the erasure of rows.
// Thread safety: const members may run in parallel; writes need exclusion.
// Memory: dim + 16 bytes a row, dim + 40 bytes a block.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vectors/code_rows.hpp"

namespace memspan {

// A span of rows that lie near one centroid.
struct Block {
  uint32_t start = 0;
  uint32_t end = 0;  // exclusive
  uint32_t cluster = 0;
};

// How far above its mean a block may reach: the number of spreads for which a search found a given share of the true
// best k, on queries that the consolidation tried out. The fewer are wanted, the higher does the last of them score, and
// the further has a block to reach for it.
class ProbeReach {
 public:
  static constexpr std::array<float, 7> kRecalls = {0.8f, 0.9f, 0.95f, 0.98f, 0.99f, 0.995f, 0.999f};
  static constexpr std::array<size_t, 5> kDepths = {1, 3, 10, 30, 100};

  // For k results at `recall`: between two depths on the line through both by the logarithm of k, beyond the last one as
  // there. Infinity above the last of kRecalls.
  float at(size_t k, float recall) const;
  void set(size_t depth, size_t recall, float reach) { reach_[depth][recall] = reach; }
  const std::array<std::array<float, kRecalls.size()>, kDepths.size()>& table() const { return reach_; }

 private:
  std::array<std::array<float, kRecalls.size()>, kDepths.size()> reach_ = {};
};

// What the clusters were made of.
enum class ClusterBasis : uint8_t { none, vectors, tags };
inline constexpr std::array<std::string_view, 3> kClusterBasisNames = {"none", "vectors", "tags"};

struct ClusterLayout {
  static constexpr float kLeastVariance = 1e-10f;

  CodeRows rows;
  size_t size = 0;  // rows, dead ones included
  size_t dead = 0;
  size_t planned_for = 0;  // rows when its clusters were found; later ones only joined them

  std::vector<Block> blocks;  // ascending; together they cover all rows
  CodeRows centroids;         // by block
  // By block: mean and variance of the cosines of its rows with the centroid, and the mean square of the length of what
  // is orthogonal to it. A row's score is the query's cosine with the centroid times the row's, plus the product of what
  // is orthogonal to it in both.
  std::vector<float> means;
  std::vector<float> variances;
  std::vector<float> orthogonals;

  ProbeReach reach;
  float probed_share = 1.0f;  // of the rows, that a search for ten at the default recall reads

  ClusterBasis basis = ClusterBasis::none;
  uint32_t clusters = 0;
  // Of the tags in a block (tags/tag_cohesion.hpp), when the clusters were found, and when rows last joined them. The first
  // is 0 where it tells nothing: there are no tags, or finding clusters anew has not made it better.
  double cohesion = 0.0;
  double cohesion_now = 0.0;

  // What the scores of a block's rows are expected to be spread like, up to a factor, for a query that has this cosine with
  // its centroid.
  float spread(size_t block, float cosine) const {
    const float square = cosine * cosine;
    return std::sqrt(square * variances[block] + (1.0f - square) * orthogonals[block] + kLeastVariance);
  }
  size_t block_of(uint32_t position) const {
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), position,
                                        [](uint32_t p, const Block& block) { return p < block.start; });
    return static_cast<size_t>(after - blocks.begin()) - 1;
  }
  void erase(uint32_t position) {
    rows.erase(position);
    ++dead;
  }
  size_t mapped_bytes() const { return rows.mapped_bytes(); }
  size_t bytes() const {
    return rows.bytes() + centroids.bytes() + blocks.capacity() * sizeof(Block) +
           (means.capacity() + variances.capacity() + orthogonals.capacity()) * sizeof(float);
  }
};

}  // namespace memspan
