// The two columns that break ties, for tests of structures that only hold slots.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/recency.hpp"
#include "base/set_column.hpp"
#include "memspan/types.hpp"

namespace memspan::test {

struct Columns {
  ChunkedVector<Micros> ats;
  IdTable ids;

  Slot add(Micros at, std::string_view id) {
    const Slot slot = ids.add(id, IdTable::hash(id));
    set_column(ats, slot, at);
    return slot;
  }
  Recency recency() const { return Recency(ats, ids); }

  // The slots, earliest first; of one time the shorter id, of equal length the smaller.
  std::vector<Slot> in_time_order(std::vector<Slot> slots) const {
    std::sort(slots.begin(), slots.end(), [this](Slot a, Slot b) {
      return std::tuple(ats[a], ids[a].size(), ids[a]) < std::tuple(ats[b], ids[b].size(), ids[b]);
    });
    return slots;
  }
};

}  // namespace memspan::test
