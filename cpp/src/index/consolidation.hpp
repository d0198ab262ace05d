// When a user's rows should be laid out anew, and how that went.
#pragma once

#include <chrono>

#include "index/cohesion_sample.hpp"
#include "index/user_columns.hpp"
#include "memspan/consolidation.hpp"
#include "vectors/layout_builder.hpp"

namespace memspan {

// Rows that a search reads: as the user lies, with the rows that came in the blocks that there are, and with clusters that
// are found anew. Estimated from the size of the clusters, the fragmentation (fresh and dead rows are read in vain), what is
// known or usual of the share that a search probes, and the cohesion of what is laid out (SwiftMem 3.4.2: "a scoring function
// balancing cluster cohesion, cluster size, and memory fragmentation"): where blocks that held one topic have come to hold
// two, they have half of the cohesion, and whoever looks for one reads both. O(1).
struct Reading {
  double now = 0.0;
  double extended = 0.0;
  double planned = 0.0;
  bool loose = false;     // finding clusters anew is worth it, however many rows there are
  bool outgrown = false;  // likewise, as searches have come to read more for the many rows that joined
  bool anew = true;    // is what will be done; otherwise rows join the clusters that there are
  double young = 0.0;  // with the late rows in a layout of their own; 0: that is not for this user now
  // What a consolidation lays out that nobody asked for.
  LayoutScope scope() const { return young > 0.0 ? LayoutScope::young : LayoutScope::all; }
  // 1: nothing to gain, or too few rows for clusters.
  double gain(bool plan_anew = false, LayoutScope scope = LayoutScope::all) const {
    const double after = scope == LayoutScope::young ? young : anew || plan_anew ? planned : extended;
    return after > 0.0 ? now / after : 1.0;
  }
};
Reading estimate_reading(const VectorTable& vectors, const Cohesion& cohesion);
// The layout whose clusters late rows join in a young one; null: theirs are found anew.
const ClusterLayout* young_base(const VectorTable& vectors);

// Are so many rows, of which the late ones are in no block yet, worth clusters of their own, as searches read more for those
// that joined? O(1).
bool outgrown(const ClusterLayout& layout, size_t rows, size_t late);

// Below this a consolidation costs more than it is likely to bring.
inline constexpr double kWorthwhileGain = 1.15;
// The same of finding clusters anew where rows could join those that there are, which takes a tenth of the time.
inline constexpr double kWorthPlanning = 1.3;

// Fewer fresh and dead rows never ask for a consolidation: to scan them takes a search two microseconds at most.
inline constexpr size_t kLeastChanged = kSmallestClustered;

// Every search scans the codes of the fresh rows. So many bytes of them, 8,192 rows at 384 dimensions, take a tenth of a
// millisecond or two, and ask for a consolidation however many rows the user has.
inline constexpr size_t kManyFreshBytes = size_t{3} << 20;
// The same where young rows are laid out by themselves, which takes a fraction of the time: 2,048 rows, some 20 us.
inline constexpr size_t kManyYoungBytes = kManyFreshBytes / 4;
// Beyond this whoever adds records one by one waits kPause for each, for as long as a consolidation is under way (as
// LevelDB slows its writers down): otherwise they could come faster than they are laid out, and searches ever later.
inline constexpr size_t kTooManyFreshBytes = 2 * kManyFreshBytes;
inline constexpr std::chrono::milliseconds kPause{1};
inline size_t fresh_bytes(const VectorTable& vectors) { return vectors.fresh_rows() * code_stride(vectors.dim()); }

// Is it time for a consolidation that nobody asked for? Enough has changed to pay for reading all rows, and there is
// something to gain, or the user has grown so much that better clusters may be found; or the clusters have come loose, or been
// outgrown. O(1).
bool consolidation_pays(const VectorTable& vectors);

// Adds to `input` those of the slots [first, last) that are to be laid out, with their rows as `pinned` has them, which must
// have been pinned since the layout was begun: the user may change between calls, and a row may move.
void collect_rows(const UserColumns& user, const RowStore& pinned, Slot first, Slot last, LayoutInput& input);
void collect_relations(const UserColumns& user, LayoutInput& input);

// Joins the report of one more user, or part of the users, to `total`.
void join_reports(ConsolidationReport& total, const ConsolidationReport& part);

}  // namespace memspan
