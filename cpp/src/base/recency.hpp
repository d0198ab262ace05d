// The one order that breaks every tie: newer first, and of one time the later id first: the longer, of equal length the
// greater. So records whose ids count up (m9, m10), or grow with the time that they were made, and whose times are those
// of a minute or a day, come in the order in which they were said.
#pragma once

#include <string_view>

#include "base/chunked_vector.hpp"
#include "base/id_table.hpp"
#include "memspan/types.hpp"

namespace memspan {

// A view of two columns of a user; valid while they are.
class Recency {
 public:
  Recency(const ChunkedVector<Micros>& ats, const IdTable& ids) : ats_(&ats), ids_(&ids) {}

  // Does `a` come before `b`?
  bool operator()(Slot a, Slot b) const {
    const Micros at_a = (*ats_)[a];
    const Micros at_b = (*ats_)[b];
    if (at_a != at_b) return at_a > at_b;
    return is_later_id((*ids_)[a], (*ids_)[b]);
  }

  static bool is_later_id(std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() > b.size() : a > b; }

  Micros at(Slot slot) const { return (*ats_)[slot]; }
  std::string_view id(Slot slot) const { return (*ids_)[slot]; }

 private:
  const ChunkedVector<Micros>* ats_;
  const IdTable* ids_;
};

}  // namespace memspan
