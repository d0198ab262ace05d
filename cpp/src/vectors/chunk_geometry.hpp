// Where an element lies in a sequence of chunks that double in size from one element to 4,096 and then stay so: a small
// user costs little, a large one grows without moving what is there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace memspan {

struct ChunkGeometry {
  static constexpr size_t kFirst = 1;
  static constexpr size_t kLargest = 4096;
  static constexpr size_t kDoublings = 12;                                        // chunks before the first of kLargest
  static constexpr size_t kDoubled = kFirst * ((size_t{1} << kDoublings) - 1);  // elements in those
  static_assert(kFirst << kDoublings == kLargest);

  struct Place {
    size_t chunk;
    size_t offset;
  };

  static constexpr Place place(size_t index) {
    if (index >= kDoubled) return {kDoublings + (index - kDoubled) / kLargest, (index - kDoubled) % kLargest};
    const auto chunk = static_cast<size_t>(std::bit_width(index / kFirst + 1)) - 1;
    return {chunk, index - kFirst * ((size_t{1} << chunk) - 1)};
  }
  static constexpr size_t size(size_t chunk) { return kFirst << std::min(chunk, kDoublings); }
  // Chunks that hold `count` elements.
  static constexpr size_t chunks(size_t count) { return count == 0 ? 0 : place(count - 1).chunk + 1; }
};

}  // namespace memspan
