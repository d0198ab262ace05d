// How well the tags of records that lie together belong together (SwiftMem 3.4.1: the ratio of edges to possible edges).
#pragma once

#include <cstdint>
#include <span>

#include "tags/tag_edges.hpp"

namespace memspan {

// Records [first, last) lie together, and stand for so many rows.
struct TagGroup {
  uint32_t first = 0;
  uint32_t last = 0;
  double rows = 0.0;
};

// Edges / possible edges between the tags of different records of a group, where each tag counts as often as it occurs
// and belongs to itself; the mean over the groups, weighted by rows. So a group of j topics that have nothing in common
// has 1/j of the cohesion that one topic's has, and one stray record costs little. 0: no two records with tags meet.
// O(tags of the records + for each of them its edges). `edges` lead to no tag beyond those of `records`.
double tag_cohesion(const TaggedRecords& records, std::span<const TagEdge> edges, std::span<const TagGroup> groups);

// Of the records [first, last), up to kMostJudged of them, the mean share that find no group to belong to: 0 for one whose
// tags have as many edges to those of some group as `cohesion` asks for, 1 for one that has none to any group. O(kMostJudged
// groups) edges.
inline constexpr size_t kMostJudged = 128;
double strangers(const TaggedRecords& records, std::span<const TagEdge> edges, std::span<const TagGroup> groups,
                 double cohesion, uint32_t first, uint32_t last);

}  // namespace memspan
