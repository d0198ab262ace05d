// How a column grows with the slots.
#pragma once

#include <utility>

#include "base/chunked_vector.hpp"
#include "memspan/types.hpp"

namespace memspan {

// Writes the entry of a slot that is new or was used before. If that throws, the entry is as it was.
template <typename T>
void set_column(ChunkedVector<T>& column, Slot slot, T value) {
  if (slot >= column.size()) column.resize(size_t{slot} + 1);  // by more than one after an insert that failed
  column[slot] = std::move(value);
}

}  // namespace memspan
