// Runs one prepared query over one user: filters, views, fusion, boosts, top k, explanation.
#pragma once

#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "query/scratch.hpp"

namespace memspan {

// Runs `scratch.prepared`. Replaces what `out` holds, reusing its memory. The caller holds the user's lock for reading.
void execute(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch, SearchResult& out);

}  // namespace memspan
