// What was said next to a hit is often the evidence: hits lift their neighbours in the same session.
#pragma once

#include <vector>

#include "base/slot_table.hpp"
#include "index/user_columns.hpp"
#include "query/admission.hpp"
#include "query/fusion.hpp"

namespace memspan {

// Every hit gives 0.5^d of its fused score to each admissible record d <= reach turns away in its session; a record
// takes the largest such gift on top of its own score. Adds records that no view found. `positions` is memory to use.
// O(hits x reach).
void boost_neighbors(std::vector<FusedHit>& hits, uint32_t reach, const UserColumns& user, const Admission& admission,
                     SlotTable& positions);

}  // namespace memspan
