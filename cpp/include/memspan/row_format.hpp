// How the vectors of records are kept for exact scores.
#pragma once

#include <cstdint>
#include <string_view>

namespace memspan {

// bfloat16: the upper half of a float32, in half the memory. The cosine of two unit vectors of n values changes by about
// 0.001 / sqrt(n), and each value by at most a 256th of itself.
enum class RowFormat : uint8_t { float32 = 0, bfloat16 = 1 };

// Throws InvalidArgument for any other name than "float32" and "bfloat16".
RowFormat parse_row_format(std::string_view name);
std::string_view row_format_name(RowFormat format);

}  // namespace memspan
