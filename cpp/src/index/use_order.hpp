// Rows of a table in the order of their last uses, for a table that is not told of each use: a row is filed under some use,
// and when it comes first, whoever asks files it anew under its last one, if there was another. So the first one whose last
// use is the one it is filed under is the least recently used: all others are filed under later uses, and were used since
// then or later still.
//
// A binary heap that knows where each row lies. Not thread-safe. Nothing but `reserve` needs memory; 20 bytes a row.
#pragma once

#include <cstdint>
#include <vector>

namespace memspan {

class UseOrder {
 public:
  // For rows below this number.
  void reserve(size_t rows) {
    if (rows <= places_.size()) return;
    heap_.reserve(rows);
    places_.resize(rows, kNone);
  }
  size_t reserved() const { return places_.size(); }

  size_t size() const { return heap_.size(); }
  bool contains(uint32_t row) const { return row < places_.size() && places_[row] != kNone; }
  // The row that is filed under the earliest use. There must be one.
  uint32_t first() const { return heap_.front().row; }
  uint64_t first_use() const { return heap_.front().use; }

  // O(log rows), as all that follows. The row must not be there.
  void add(uint32_t row, uint64_t use) noexcept {
    heap_.push_back({use, row});
    rise(heap_.size() - 1);
  }
  void remove(uint32_t row) noexcept {
    const size_t place = places_[row];
    places_[row] = kNone;
    const Filed last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    heap_[place] = last;
    rise(place);
    sink(places_[last.row]);
  }
  // Files the first row under a later use.
  void file_first(uint64_t use) noexcept {
    heap_.front().use = use;
    sink(0);
  }
  // The row gets another number, which nobody has.
  void renumber(uint32_t from, uint32_t to) noexcept {
    places_[to] = places_[from];
    places_[from] = kNone;
    if (places_[to] != kNone) heap_[places_[to]].row = to;
  }

  size_t bytes() const { return heap_.capacity() * sizeof(Filed) + places_.capacity() * sizeof(uint32_t); }

 private:
  struct Filed {
    uint64_t use;
    uint32_t row;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  void put(size_t place, Filed filed) {
    heap_[place] = filed;
    places_[filed.row] = static_cast<uint32_t>(place);
  }
  void rise(size_t place) {
    const Filed filed = heap_[place];
    for (; place > 0 && filed.use < heap_[(place - 1) / 2].use; place = (place - 1) / 2) put(place, heap_[(place - 1) / 2]);
    put(place, filed);
  }
  void sink(size_t place) {
    const Filed filed = heap_[place];
    for (size_t below; (below = 2 * place + 1) < heap_.size(); place = below) {
      if (below + 1 < heap_.size() && heap_[below + 1].use < heap_[below].use) ++below;
      if (filed.use <= heap_[below].use) break;
      put(place, heap_[below]);
    }
    put(place, filed);
  }

  std::vector<Filed> heap_;       // each of its two below is filed under a use that is not earlier
  std::vector<uint32_t> places_;  // in the heap, by row
};

}  // namespace memspan
