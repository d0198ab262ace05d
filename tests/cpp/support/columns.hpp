// The two columns that break ties, for tests of structures that only hold slots.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan::test {

struct Columns {
  std::vector<Micros> ats;
  std::vector<std::string> ids;

  Slot add(Micros at, std::string id) {
    ats.push_back(at);
    ids.push_back(std::move(id));
    return static_cast<Slot>(ats.size() - 1);
  }
  Recency recency() const { return Recency(ats, ids); }

  // The slots, earliest first and by descending id at equal times: the reverse of "newer first, then by id".
  std::vector<Slot> in_time_order(std::vector<Slot> slots) const {
    std::sort(slots.begin(), slots.end(), [this](Slot a, Slot b) {
      return ats[a] != ats[b] ? ats[a] < ats[b] : ids[a] > ids[b];
    });
    return slots;
  }
};

}  // namespace memspan::test
