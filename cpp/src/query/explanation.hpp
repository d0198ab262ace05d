// Why an answer is as it is.
#pragma once

#include "index/user_columns.hpp"
#include "memspan/query.hpp"
#include "query/scratch.hpp"
#include "query/views.hpp"

namespace memspan {

// Of the search that has just filled `scratch`. Allocates; O(slots) for each filter.
SearchExplanation explain(const UserColumns& user, const SearchScratch& scratch, const SemanticReading& reading);

}  // namespace memspan
