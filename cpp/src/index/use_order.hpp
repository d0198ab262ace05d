// Rows of a table in the order of their last uses, for a table that is not told of each use: a row is filed under some use,
// and when it comes first, whoever asks files it anew under its last one, if there was another. So the first one whose last
// use is the one it is filed under is the least recently used: all others are filed under later uses, and were used since
// then or later still.
//
// Not thread-safe. Nothing but `reserve` needs memory; 20 bytes a row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/positioned_heap.hpp"

namespace memspan {

class UseOrder {
 public:
  // For rows below this number.
  void reserve(size_t rows) {
    if (rows <= positions_.size()) return;
    heap_.reserve(rows);
    positions_.resize(rows, Heap::kNowhere);
  }
  size_t reserved() const { return positions_.size(); }

  size_t size() const { return heap_.size(); }
  bool contains(uint32_t row) const { return row < positions_.size() && positions_[row] != Heap::kNowhere; }
  // The row that is filed under the earliest use. There must be one.
  uint32_t first() const { return heap_.top().item; }
  uint64_t first_use() const { return heap_.top().use; }

  // O(log rows), as all that follows but the last. The row must not be there.
  void add(uint32_t row, uint64_t use) noexcept { heap_.push(Filed{use, row}, &before, positions_); }
  void remove(uint32_t row) noexcept { heap_.erase(row, &before, positions_); }
  // Files the first row under a later use.
  void file_first(uint64_t use) noexcept {
    heap_.change(first(), [use](Filed& filed) { filed.use = use; }, &before, positions_);
  }
  // The row gets another number, which nobody has. O(1).
  void renumber(uint32_t from, uint32_t to) noexcept { heap_.renumber(from, to, positions_); }

  size_t bytes() const { return heap_.entries().capacity() * sizeof(Filed) + positions_.capacity() * sizeof(uint32_t); }

 private:
  struct Filed {
    uint64_t use;
    uint32_t item;
  };
  using Heap = PositionedHeap<std::vector<Filed>>;
  static bool before(const Filed& a, const Filed& b) { return a.use < b.use; }

  Heap heap_;
  std::vector<uint32_t> positions_;  // in the heap, by row
};

}  // namespace memspan
