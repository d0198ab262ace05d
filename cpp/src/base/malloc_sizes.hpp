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

// How many elements full arrays of `all` elements grow by: few by half, and by `least`, which is a line of the cache if that is
// not many; others by an eighth. So little lies idle, and what moves as it grows is copied eight times in all.
template <typename T>
constexpr size_t growth_of(size_t all, size_t least = std::clamp<size_t>(64 / sizeof(T), 1, 4)) {
  constexpr size_t kFew = 256;
  return all == 0 ? 1 : std::max(least, all < kFew ? all / 2 : all / 8);
}

}  // namespace memspan
