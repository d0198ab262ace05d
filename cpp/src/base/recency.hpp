// The one order that breaks every tie: newer first, then by id.
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
    return (*ids_)[a] < (*ids_)[b];
  }

  Micros at(Slot slot) const { return (*ats_)[slot]; }
  std::string_view id(Slot slot) const { return (*ids_)[slot]; }

 private:
  const ChunkedVector<Micros>* ats_;
  const IdTable* ids_;
};

}  // namespace memspan
