// Which records a query's filters let through. Filters work before any top-k, so that k records come back whenever k
// admissible ones exist.
#pragma once

#include <array>
#include <optional>

#include "base/bitset.hpp"
#include "index/user_columns.hpp"
#include "memspan/query.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

struct Admission {
  bool all = false;  // every live record, and no slot is dead: `bits` is not needed and empty
  Bitset bits;
  size_t count = 0;
  std::array<Refusal, kFilterNames.size()> refused;  // filled for explain only

  bool admits(Slot slot) const { return all || bits.test(slot); }
};

// O(log n) for each interval, O(n / 64) for each posting list or mask, O(records left) for each other filter.
Admission admit(const UserColumns& user, const PreparedQuery& prepared);

}  // namespace memspan
