// The inner products of every row of one matrix with every row of another.
#pragma once

#include <cstddef>
#include <span>

namespace memspan {

// out[i * columns + j] = dot(rows i, others j), both with n floats a row, n > 0, and columns = others.size() / n. The
// value of a pair depends on nothing but its two rows. O(rows * columns * n). Thread-safe.
void inner_products(std::span<const float> rows, std::span<const float> others, size_t n, std::span<float> out);

}  // namespace memspan
