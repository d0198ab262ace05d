// Rows laid out cluster-major and time-minor (SwiftMem 3.4.2): a cluster is one contiguous span of blocks, a block one
// contiguous span of rows in the order of time, so that a time range inside a block is a sub-span.
//
// Made by a consolidation (layout_builder.hpp), then changed only by the erasure of rows.
// Thread safety: const members may run in parallel; writes need exclusion.
// Memory: dim + 16 bytes a row, 64 more with short rows, dim + 40 bytes a block.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "vectors/code_rows.hpp"
#include "vectors/probe_reach.hpp"
#include "vectors/short_rows.hpp"

namespace memspan {

// A span of rows that lie near one centroid.
struct Block {
  uint32_t start = 0;
  uint32_t end = 0;  // exclusive
  uint32_t cluster = 0;
};

// What the clusters were made of.
enum class ClusterBasis : uint8_t { none, vectors, tags };
inline constexpr std::array<std::string_view, 3> kClusterBasisNames = {"none", "vectors", "tags"};

struct ClusterLayout {
  static constexpr float kLeastVariance = 1e-10f;

  CodeRows rows;
  size_t size = 0;  // rows, dead ones included
  size_t dead = 0;
  Interval times{0, 0};    // of its rows, dead ones included
  size_t planned_for = 0;  // rows when its clusters were found; later ones only joined them

  std::vector<Block> blocks;  // ascending; together they cover all rows
  CodeRows centroids;         // by block
  // By block: mean and variance of the cosines of its rows with the centroid, and `overlap` times the mean square of the
  // length of what is orthogonal to it. A row's score is the query's cosine with the centroid times the row's, plus the product
  // of what is orthogonal to it in both.
  std::vector<float> means;
  std::vector<float> variances;
  std::vector<float> orthogonals;
  // The mean square of that last product, over what it would be if both lay on one line: 1 over the number of directions that
  // they are scattered over.
  float overlap = 1.0f;

  ProbeReach reach;
  TriedScores tried;  // of the queries that found it
  // What a search for ten at the default recall reads, as a share of all codes; of short rows as much as that costs.
  float probed_share = 1.0f;
  // Not kept in snapshots: the same when its clusters were found, and how many rows have joined them since.
  float planned_share = 1.0f;
  size_t joined = 0;
  std::unique_ptr<ShortRows> short_rows;  // by position; null where they would not pay

  ClusterBasis basis = ClusterBasis::none;
  uint32_t clusters = 0;
  // Of the tags in a block (tags/tag_cohesion.hpp), when the clusters were found, and when rows last joined them. The first
  // is 0 where it tells nothing: there are no tags, or finding clusters anew has not made it better.
  double cohesion = 0.0;
  double cohesion_now = 0.0;

  // The standard deviation that the scores of a block's rows are expected to have, for a query that has this cosine with its
  // centroid.
  float spread(size_t block, float cosine) const {
    const float square = cosine * cosine;
    return std::sqrt(square * variances[block] + (1.0f - square) * orthogonals[block] + kLeastVariance);
  }
  // About so many of its rows lie in the intervals, as if their times were spread evenly; 0: none does.
  double rows_in(std::span<const Interval> intervals) const {
    const auto length = [](Micros start, Micros end) { return static_cast<double>(end) - static_cast<double>(start); };
    double inside = 0.0;
    for (const Interval& interval : intervals) {
      const Micros start = std::max(interval.start, times.start);
      const Micros end = std::min(interval.end, times.end);
      if (start < end) inside += length(start, end);
    }
    return static_cast<double>(size) * inside / std::max(1.0, length(times.start, times.end));
  }
  // To be called when the rows are there, and the blocks in which they lie in the order of time.
  void note_times() {
    for (const Block& block : blocks) {
      const Micros* const ats = rows.ats();
      if (block.start == block.end) continue;
      const Interval own{ats[block.start], std::min(ats[block.end - 1], kForever - 1) + 1};
      times = &block == blocks.data() ? own : Interval{std::min(times.start, own.start), std::max(times.end, own.end)};
    }
  }
  size_t block_of(uint32_t position) const {
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), position,
                                        [](uint32_t p, const Block& block) { return p < block.start; });
    return static_cast<size_t>(after - blocks.begin()) - 1;
  }
  void erase(uint32_t position) {
    rows.erase(position);
    if (short_rows) short_rows->erase(position);
    ++dead;
  }
  size_t mapped_bytes() const { return rows.mapped_bytes() + (short_rows ? short_rows->mapped_bytes() : 0); }
  size_t bytes() const {
    return rows.bytes() + (short_rows ? short_rows->bytes() : 0) + centroids.bytes() + blocks.capacity() * sizeof(Block) +
           (means.capacity() + variances.capacity() + orthogonals.capacity()) * sizeof(float);
  }
};

}  // namespace memspan
