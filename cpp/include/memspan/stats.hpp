// Figures about an index, its users and its tags.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

struct TagInfo {
  std::string name;
  uint64_t records = 0;  // that carry the tag itself
  std::vector<std::string> parents;
  std::vector<std::string> children;
  uint32_t specificity = 0;  // longest path from a root; grows along every path
};

struct UserStats {
  uint64_t records = 0;
  uint64_t embeddings = 0;
  uint64_t documents = 0;  // records with at least one token
  uint64_t tokens = 0;
  uint64_t terms = 0;
  uint64_t tags = 0;
  uint64_t relations = 0;
  uint64_t sessions = 0;
  uint64_t dead_slots = 0;  // erased, reclaimed by the next compaction
  uint64_t bytes = 0;         // on the heap, estimated from the containers' capacities
  uint64_t mapped_bytes = 0;  // that are used where they lie in a snapshot's file
  std::array<uint64_t, kKindCount> kinds = {};
  uint64_t pinned = 0;
  uint64_t retired = 0;   // that have a retired_at
  uint64_t expiring = 0;  // that have an expires_at
  Micros earliest = 0;
  Micros latest = 0;
};

struct IndexStats {
  uint64_t users = 0;
  uint64_t resident_users = 0;  // of those, in memory; the others wait in a file
  uint64_t records = 0;
  uint64_t embeddings = 0;
  uint64_t terms = 0;
  uint64_t tags = 0;
  uint64_t relations = 0;
  uint64_t bytes = 0;         // as in UserStats
  uint64_t mapped_bytes = 0;
  uint64_t failed_spills = 0;  // how often a user had to stay in memory because the spill file could not be written
};

}  // namespace memspan
