#include "vectors/inner_products.hpp"

#include <algorithm>

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kTileFloats = size_t{1} << 15;  // 128 kB of others stay in the cache while all rows pass

}  // namespace

void inner_products(std::span<const float> rows, std::span<const float> others, size_t n, std::span<float> out) {
  const size_t row_count = rows.size() / n;
  const size_t columns = others.size() / n;
  const size_t tile = std::max<size_t>(1, kTileFloats / n);
  for (size_t first = 0; first < columns; first += tile) {
    const size_t count = std::min(tile, columns - first);
    for (size_t row = 0; row < row_count; ++row) {
      kernels().dot_rows(&rows[row * n], &others[first * n], n, count, n, &out[row * columns + first]);
    }
  }
}

}  // namespace memspan
