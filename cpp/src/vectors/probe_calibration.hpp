// Finds how far a search has to probe a layout for a given recall, by trying.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "vectors/cluster_layout.hpp"
#include "vectors/row_list.hpp"

namespace memspan {

// Fills layout.overlap, layout.reach and layout.probed_share, and makes layout.short_rows where they pay. `rows`: the rows by
// position. The queries are made of the rows themselves: as they are, with as much noise again, halfway between two, and in
// the middle of eight; what a search misses is counted against a full scan. O(rows dim) for each of some hundred queries.
void calibrate_probing(ClusterLayout& layout, const RowView& rows, std::mt19937& random);

// For rows that joined the clusters of others, at these positions: the reach that was found for the others misses rows of
// a new topic, which lie wherever they are least far. Queries made of those that joined are tried, and where they miss
// more than they may, layout.reach grows, and layout.probed_share with it. O(rows dim) for each of some hundred queries.
void calibrate_joined(ClusterLayout& layout, const RowView& rows, std::span<const uint32_t> joined, std::mt19937& random);

}  // namespace memspan
