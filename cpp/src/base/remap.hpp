// Renumbering of a column after a compaction.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

// Moves column[old] to column[new_slots[old]]; entries whose new slot is kNoSlot are dropped.
template <typename T>
void remap_column(std::vector<T>& column, std::span<const Slot> new_slots, size_t size) {
  std::vector<T> moved(size);
  for (size_t old = 0; old < column.size(); ++old) {
    if (new_slots[old] != kNoSlot) moved[new_slots[old]] = std::move(column[old]);
  }
  column = std::move(moved);
}

}  // namespace memspan
