// The tags that boost the records that carry them.
#pragma once

#include <utility>
#include <vector>

#include "base/bitset.hpp"
#include "index/user_columns.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

// With their weights: 1 for a given tag, its cosine (if positive) for a routed one, and half as much for each step down
// the hierarchy (SwiftMem 3.2.3, hierarchical expansion). The largest weight wins.
struct BoostingTags {
  std::vector<std::pair<TagId, float>> routed;   // with cosine
  std::vector<std::pair<TagId, float>> weights;  // in the order of the numbers

  void clear() {
    routed.clear();
    weights.clear();
  }
  // Replaces what is there, reusing the memory. O(tags reached, log).
  void find(const UserColumns& user, const PreparedQuery& prepared);
  size_t bytes() const;

 private:
  void expand(const UserColumns& user, TagId seed, float weight, uint32_t depth);

  // Memory between searches.
  std::vector<std::pair<TagId, uint32_t>> reached_;  // with distance
  Bitset seen_;
};

}  // namespace memspan
