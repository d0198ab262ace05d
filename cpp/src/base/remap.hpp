// Renumbering of a column after a compaction, and its growth with the slots.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"
#include "memspan/types.hpp"

namespace memspan {

// Moves column[old] to column[new_slots[old]]; entries whose new slot is kNoSlot are dropped.
template <typename Column>
void remap_column(Column& column, std::span<const Slot> new_slots, size_t size) {
  Column moved;
  moved.resize(size);
  for (size_t old = 0; old < column.size(); ++old) {
    if (new_slots[old] != kNoSlot) moved[new_slots[old]] = std::move(column[old]);
  }
  column = std::move(moved);
}

// Writes the entry of a slot that is new or was used before. If that throws, the entry is as it was.
template <typename T>
void set_column(ChunkedVector<T>& column, Slot slot, T value) {
  if (slot >= column.size()) column.resize(size_t{slot} + 1);  // by more than one after an insert that failed
  column[slot] = std::move(value);
}

}  // namespace memspan
