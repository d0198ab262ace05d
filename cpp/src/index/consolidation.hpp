// When a user's rows should be laid out anew, and how that went.
#pragma once

#include <chrono>

#include "index/user_columns.hpp"
#include "memspan/consolidation.hpp"
#include "vectors/layout_builder.hpp"

namespace memspan {

// How many times fewer rows a search would read after a consolidation, estimated from the size of the clusters, the
// fragmentation, and what is known or usual of the share that a search probes (SwiftMem 3.4.2: "a scoring function
// balancing cluster cohesion, cluster size, and memory fragmentation"). 1: nothing to gain. O(1).
double estimate_gain(const VectorTable& vectors);

// Below this a consolidation costs more than it is likely to bring.
inline constexpr double kWorthwhileGain = 1.15;

// Fewer fresh and dead rows never ask for a consolidation: to scan them takes a search two microseconds at most.
inline constexpr size_t kLeastChanged = kSmallestClustered;

// Every search scans the codes of the fresh rows. So many bytes of them, 8,192 rows at 384 dimensions, take a tenth of a
// millisecond or two, and ask for a consolidation however many rows the user has.
inline constexpr size_t kManyFreshBytes = size_t{3} << 20;
// Beyond this whoever adds records one by one waits kPause for each, for as long as a consolidation is under way (as
// LevelDB slows its writers down): otherwise they could come faster than they are laid out, and searches ever later.
inline constexpr size_t kTooManyFreshBytes = 2 * kManyFreshBytes;
inline constexpr std::chrono::milliseconds kPause{1};
inline size_t fresh_bytes(const VectorTable& vectors) { return vectors.fresh_rows() * code_stride(vectors.dim()); }

// Is it time for a consolidation that nobody asked for? Enough has changed to pay for reading all rows, and there is
// something to gain, or the user has grown so much that better clusters may be found. O(1).
bool consolidation_pays(const VectorTable& vectors);

// Will the clusters that are there do for the rows that came, or must they be found anew? O(1).
bool should_extend(const VectorTable& vectors);

// Adds to `input` those of the slots [first, last) that are to be laid out.
void collect_rows(const UserColumns& user, Slot first, Slot last, LayoutInput& input);
void collect_relations(const UserColumns& user, LayoutInput& input);

// Joins the report of one more user, or part of the users, to `total`.
void join_reports(ConsolidationReport& total, const ConsolidationReport& part);

}  // namespace memspan
