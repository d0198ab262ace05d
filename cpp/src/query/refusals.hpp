// What each filter of an explained search refused.
#pragma once

#include <array>

#include "base/bitset.hpp"
#include "index/user_columns.hpp"
#include "memspan/query.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

using Refusals = std::array<Refusal, kFilterNames.size()>;

// Applies the filters one after the other, which costs more than Admission. Returns the slots that are left: those that
// Admission finds. O(slots) for each filter.
Bitset find_refusals(const UserColumns& user, const PreparedQuery& prepared, Refusals& refusals);

}  // namespace memspan
