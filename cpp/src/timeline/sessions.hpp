// The records of each session in the order of time, for what stands next to a hit.
//
// Invariant: each list is sorted by time, then by id. Thread safety: const members may run in parallel; writes need
// exclusion.
#pragma once

#include <span>
#include <vector>

#include "base/hash_map.hpp"
#include "base/recency.hpp"
#include "base/string_pool.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Sessions {
 public:
  // Records without a session (StringPool::kNone) are ignored. O(log n) and the move of later records.
  void insert(StringPool::Symbol session, Slot slot, const Recency& recency);
  void erase(StringPool::Symbol session, Slot slot, const Recency& recency);

  // The session's records, earliest first.
  std::span<const Slot> records(StringPool::Symbol session) const;
  // Position of the record in its session. O(log n).
  size_t position(StringPool::Symbol session, Slot slot, const Recency& recency) const;

  size_t size() const { return sessions_.size(); }
  void remap(std::span<const Slot> new_slots);
  size_t bytes() const;

 private:
  HashMap<StringPool::Symbol, std::vector<Slot>> sessions_;
};

}  // namespace memspan
