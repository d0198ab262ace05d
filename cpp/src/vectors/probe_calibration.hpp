// Finds how far a search has to probe a layout for a given recall, by trying.
#pragma once

#include <random>

#include "vectors/cluster_layout.hpp"
#include "vectors/row_list.hpp"

namespace memspan {

// Fills layout.reach and layout.probed_share, and makes layout.short_rows where they pay. `rows`: the rows by
// position. The queries are made of the rows themselves: as they are, with as much noise again, and halfway between two;
// what a search misses is counted against a full scan. O(rows dim) for each of some hundred queries.
void calibrate_probing(ClusterLayout& layout, const RowView& rows, std::mt19937& random);

}  // namespace memspan
