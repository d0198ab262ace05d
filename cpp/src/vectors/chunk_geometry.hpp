// Where an element lies in a sequence of chunks that grow from one element to 2,048, each size coming twice, and then stay
// so: a small user costs little, at most half as many places as elements lie idle, and a large one grows without moving
// what is there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace memspan {

struct ChunkGeometry {
  static constexpr size_t kLargest = 2048;
  static constexpr size_t kPairs = 11;                                       // of chunks before the first of kLargest
  static constexpr size_t kGrowing = 2 * ((size_t{1} << kPairs) - 1);        // elements in those
  static_assert(size_t{1} << kPairs == kLargest);

  struct Place {
    size_t chunk;
    size_t offset;
  };

  static constexpr Place place(size_t index) {
    if (index >= kGrowing) return {2 * kPairs + (index - kGrowing) / kLargest, (index - kGrowing) % kLargest};
    const auto pair = static_cast<size_t>(std::bit_width(index / 2 + 1)) - 1;
    const size_t offset = index - 2 * ((size_t{1} << pair) - 1);
    return {2 * pair + (offset >> pair), offset & ((size_t{1} << pair) - 1)};
  }
  static constexpr size_t size(size_t chunk) { return size_t{1} << std::min(chunk / 2, kPairs); }
  // Of the first `count` chunks together.
  static constexpr size_t capacity(size_t count) {
    if (count > 2 * kPairs) return kGrowing + (count - 2 * kPairs) * kLargest;
    return 2 * ((size_t{1} << count / 2) - 1) + (count % 2 << count / 2);
  }
  // How many elements the next chunk has, if the first `chunks` have room for but few more than `count`; else 0.
  static constexpr size_t needed_soon(size_t count, size_t chunks) {
    constexpr size_t kFewLeft = 32;  // a writer's turn adds no more (index/analysis_ahead.hpp)
    return count + kFewLeft > capacity(chunks) ? size(chunks) : 0;
  }
  // Chunks that hold `count` elements.
  static constexpr size_t chunks(size_t count) { return count == 0 ? 0 : place(count - 1).chunk + 1; }
};

}  // namespace memspan
