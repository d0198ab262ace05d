#include "vectors/token_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace memspan {

TokenBlocks::TokenBlocks(std::span<const int8_t> rows, size_t n) : n_(n), tokens_(rows.size() / n) {
  constexpr size_t kScales = kBlockTokens * sizeof(float);
  const size_t block_bytes = kScales + stride() * kBlockTokens;
  bytes_ = AlignedBuffer<uint8_t>(block_count() * block_bytes);
  for (size_t place = 0; place < block_count() * kBlockTokens; ++place) {
    // The last token fills its block up: once more does not change which is the best.
    const int8_t* const row = &rows[std::min(place, tokens_ - 1) * n];
    uint8_t* const block = bytes_.data() + place / kBlockTokens * block_bytes;
    const size_t lane = place % kBlockTokens;
    uint8_t* const values = block + kScales + 2 * lane;
    for (size_t i = 0; i + 1 < n; i += 2) std::memcpy(values + i * kBlockTokens, row + i, 2);
    if (n % 2 != 0) {
      values[(n - 1) * kBlockTokens] = static_cast<uint8_t>(row[n - 1]);
      values[(n - 1) * kBlockTokens + 1] = 0;
    }
    int32_t squares = 0;
    for (size_t i = 0; i < n; ++i) squares += int32_t{row[i]} * int32_t{row[i]};
    const float scale = 1.0f / std::sqrt(static_cast<float>(std::max(squares, 1)));
    std::memcpy(block + lane * sizeof scale, &scale, sizeof scale);
  }
}

}  // namespace memspan
