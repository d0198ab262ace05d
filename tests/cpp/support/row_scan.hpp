// Exact searches of a table of vectors, one at a time.
#pragma once

#include <span>

#include "base/top_k.hpp"
#include "vectors/vector_search.hpp"
#include "vectors/vector_table.hpp"

namespace memspan::test {

// `k`: that of `best`.
inline VectorSearchStats scan(const VectorTable& table, const float* query, size_t k, const Bitset* allowed, TopK& best) {
  VectorScratch scratch;
  VectorSearchStats stats;
  RowScan search{query, k, &scratch, &stats, &best};
  table.scan({&search, 1}, allowed);
  return stats;
}

inline VectorSearchStats gather(const VectorTable& table, const float* query, size_t k, std::span<const Slot> slots, TopK& best) {
  VectorScratch scratch;
  VectorSearchStats stats;
  RowScan search{query, k, &scratch, &stats, &best};
  table.gather(search, slots);
  return stats;
}

}  // namespace memspan::test
