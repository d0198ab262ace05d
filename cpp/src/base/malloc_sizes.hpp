// How arrays grow, and how much of what is asked for them malloc would hand out anyway.
//
// glibc takes 8 bytes of each piece for itself and rounds up to 16, with 32 as the least: a user's first arrays use all
// of that, and none asks for a few bytes beyond. With another malloc the sizes are a bit odd, and as good as others.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/huge_pages.hpp"

namespace memspan {

// The number of elements, not less than `count`, that come at the price of `count`. Pieces that do not come from malloc
// stay as they are.
template <typename T>
constexpr size_t fill_malloc_piece(size_t count) {
  constexpr size_t kOwn = 8;
  constexpr size_t kStep = 16;
  const size_t bytes = count * sizeof(T);
  const size_t piece = std::max<size_t>(2 * kStep, (bytes + kOwn + kStep - 1) / kStep * kStep);
  return piece > huge_pages::kPage ? count : (piece - kOwn) / sizeof(T);
}

// The capacity of a full array that grows, `most` at last. Short ones grow by half, and by `least` or a line of the cache, if
// that is not many elements; others by an eighth: so little of them lies idle, and they are copied eight times in all.
template <typename T>
constexpr size_t grown_capacity(size_t capacity, size_t most, size_t least = std::clamp<size_t>(64 / sizeof(T), 1, 4)) {
  constexpr size_t kShort = 64;
  const size_t more = std::max(least, capacity < kShort ? capacity / 2 : capacity / 8);
  return std::min(most, fill_malloc_piece<T>(capacity == 0 ? 1 : capacity + more));
}

}  // namespace memspan
