// Makes the short rows of a layout.
#pragma once

#include <memory>
#include <random>

#include "vectors/row_list.hpp"
#include "vectors/short_rows.hpp"

namespace memspan {

// `rows`: the rows by position. O(rows dim). The reach is not known yet.
std::unique_ptr<ShortRows> shorten_rows(const RowView& rows, std::mt19937& random);
// With the directions and the reach of others.
std::unique_ptr<ShortRows> shorten_rows(const ShortRows& like, const RowView& rows);

}  // namespace memspan
