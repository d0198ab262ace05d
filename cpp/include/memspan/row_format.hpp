// How the vectors of records are kept for exact scores.
#pragma once

#include <cstdint>
#include <string_view>

namespace memspan {

// bfloat16: the upper half of a float32, in half the memory. A value changes by less than a 128th of itself, mostly by less
// than a 256th; the cosine of two unit vectors of n values by about 0.001 / sqrt(n).
enum class RowFormat : uint8_t { float32 = 0, bfloat16 = 1 };

// Throws InvalidArgument for any other name than "float32" and "bfloat16".
RowFormat parse_row_format(std::string_view name);
std::string_view row_format_name(RowFormat format);

}  // namespace memspan
