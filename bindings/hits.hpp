// Search results as Python sees them: arrays, and objects made when they are looked at.
#pragma once

#include <memory>

#include "memspan/query.hpp"

namespace memspan::python {

// Immutable; shared by the sequence and by each hit taken from it.
struct HitList {
  std::shared_ptr<const SearchResult> result;
};

struct HitReference {
  std::shared_ptr<const SearchResult> result;
  size_t position;
  const Hit& hit() const { return result->hits[position]; }
};

}  // namespace memspan::python
