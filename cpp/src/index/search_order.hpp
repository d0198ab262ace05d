// The order in which many queries are searched: what they read comes from the cache as often as that can be had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "index/user_index.hpp"
#include "memspan/query.hpp"

namespace memspan {

// The queries' numbers: those of one user in sequence, and among them, where a user's codes are too many for the caches
// and the queries enough to meet in the same blocks, those with the same nearest block. Throws InvalidEmbedding.
// O(queries x (log queries + blocks x dim)).
std::vector<uint32_t> search_order(std::span<const Query* const> queries, size_t dim, size_t workers,
                                   const std::function<std::shared_ptr<UserIndex>(std::string_view)>& find);

}  // namespace memspan
