// Builds the cluster-major, time-minor layout of a user's rows (SwiftMem 3.4): which cluster each goes to, in which
// block of it, and how far a search has to probe to find what it should.
#pragma once

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

// Clusters come from the tags when those are as good for searching, by trial, as clusters of the vectors alone.
// O(rows^(5/4) dim) for the assignment, with a small constant (centroid_groups.hpp); all else is linear, but for sorting.
// The same input gives the same layout.
BuiltLayout plan_layout(const LayoutInput& input);

// The rows as they lie in `input.base`, and the others in its blocks that are nearest to them. What was found out about
// probing stays. O(rows dim + new rows rows^(1/4) dim).
BuiltLayout extend_layout(const LayoutInput& input);

}  // namespace memspan
