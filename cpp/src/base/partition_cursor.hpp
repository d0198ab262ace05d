// A binary search, one step at a time, so that several can be under way at once.
//
// No step has a branch on what was found, and each asks for both lines of which the next one will read one: in memory
// that no cache holds, the waiting of a step overlaps with that of the step before. One search alone, in memory that a
// cache holds, is faster with branches: the processor guesses half of them right, and reads ahead.
#pragma once

#include <cstddef>
#include <span>

#include "base/prefetch.hpp"

namespace memspan {

// Looks for the first item that is not before the value; before(item) must hold for a prefix of the items. O(log n)
// steps; not thread-safe.
template <typename T, typename Before>
class PartitionCursor {
 public:
  PartitionCursor(std::span<const T> items, const Before& before)
      : items_(items.data()), place_(items.data()), left_(items.size()), before_(before) {}

  // False when nothing is left to do.
  bool step() {
    if (left_ <= 1) return false;
    const size_t half = left_ / 2;
    left_ -= half;
    if (left_ * sizeof(T) > kLine) {
      prefetch_line(place_ + left_ / 2);
      prefetch_line(place_ + half + left_ / 2);
    }
    place_ += before_(place_[half - 1]) ? half : 0;
    return true;
  }

  // After the last step: from 0 to the number of items.
  size_t place() const { return static_cast<size_t>(place_ - items_) + (left_ == 1 && before_(*place_) ? 1 : 0); }

 private:
  static constexpr size_t kLine = 64;

  const T* items_;
  const T* place_;  // the answer is here, or at most left_ behind
  size_t left_;
  const Before& before_;
};

}  // namespace memspan
