// The tokens of one text, as the kernel max_products reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.hpp"
#include "simd/kernels.hpp"

namespace memspan {

// Immutable. Memory: 16 n + 64 bytes for each 16 tokens of n bytes, n rounded up to an even number.
class TokenBlocks {
 public:
  // Rows of n bytes whose lengths do not count, 0 < n <= 8,192; rows of zeros are like nothing. O(bytes).
  TokenBlocks(std::span<const int8_t> rows, size_t n);

  size_t tokens() const { return tokens_; }
  // Values of a token, and those with what makes them even.
  size_t n() const { return n_; }
  size_t stride() const { return n_ + n_ % 2; }
  size_t bytes() const { return bytes_.size(); }

  const uint8_t* blocks() const { return bytes_.data(); }
  size_t block_count() const { return (tokens_ + kBlockTokens - 1) / kBlockTokens; }

 private:
  size_t n_;
  size_t tokens_;
  AlignedBuffer<uint8_t> bytes_;
};

}  // namespace memspan
