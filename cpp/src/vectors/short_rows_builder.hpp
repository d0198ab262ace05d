// Makes the short rows of a layout.
#pragma once

#include <memory>
#include <random>
#include <span>

#include "vectors/short_rows.hpp"

namespace memspan {

// `rows`: the float rows by position. O(rows dim). The reach is not known yet.
std::unique_ptr<ShortRows> shorten_rows(size_t dim, std::span<const float* const> rows, std::mt19937& random);
// With the directions and the reach of others.
std::unique_ptr<ShortRows> shorten_rows(const ShortRows& like, std::span<const float* const> rows);

}  // namespace memspan
