// Builds the cluster-major, time-minor layout of a user's rows (SwiftMem 3.4): which cluster each goes to, in which
// block of it, and how far a search has to probe to find what it should.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "memspan/types.hpp"
#include "tags/tag_clusters.hpp"
#include "vectors/cluster_layout.hpp"
#include "vectors/row_list.hpp"

namespace memspan {

// The rows to lay out, as parallel columns. `rows` must stay readable and unchanged during the build.
struct LayoutInput {
  explicit LayoutInput(const RowShape& shape) : rows(shape) {}
  size_t dim() const { return rows.dim(); }

  PassingVector<Slot> slots;
  PassingVector<Micros> ats;
  RowList rows;
  TaggedRecords tags;
  // Filled only to let new rows join the clusters of an older layout: that, and the block in it of each row (kNoCluster:
  // none yet).
  const ClusterLayout* base = nullptr;
  PassingVector<uint32_t> blocks;
};

struct BuiltLayout {
  std::unique_ptr<ClusterLayout> layout;
  float max_scale = 0.0f;
};

// Below so many rows a full scan costs no more than probing: there is one block, in the order of time.
inline constexpr size_t kSmallestClustered = 384;

// From four million records on it does not grow, so that what a row is compared with has a bound.
inline constexpr double kMostBlocks = 4096.0;

// How many blocks a user of so many records gets.
inline double planned_blocks(size_t rows) { return std::clamp(2.0 * std::sqrt(static_cast<double>(rows)), 1.0, kMostBlocks); }

// Clusters come from the tags when those are as good for searching, by trial, as clusters of the vectors alone.
// O(rows dim): a row is compared with the heads of groups of centroids and with the members of the nearest twelve
// (centroid_groups.hpp), which are some 460 codes at most, and rows are sorted only inside a block where they do not come
// in the order of time. The same input gives the same layout.
BuiltLayout plan_layout(const LayoutInput& input);

// The rows as they lie in `input.base`, the others in its blocks that are nearest to them, and those that are near none in
// blocks of their own. Searches probe as far as before, or further where they would miss what joined. O(rows dim).
BuiltLayout extend_layout(const LayoutInput& input);

}  // namespace memspan
