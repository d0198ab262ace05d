// Runs one prepared query over one user: filters, views, fusion, boosts, top k, explanation.
#pragma once

#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

// The caller holds the user's lock for reading.
SearchResult execute(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config);

}  // namespace memspan
