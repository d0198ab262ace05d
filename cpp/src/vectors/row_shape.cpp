#include "vectors/row_shape.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "lexical/utf8.hpp"
#include "memspan/error.hpp"
#include "vectors/bfloat16.hpp"

namespace memspan {
namespace {

// What rounding may do to the square of a length of 1. In bfloat16 it does so much only to vectors of a few values.
constexpr double kMostRounded = 1e-3;
constexpr double kMostRoundedBfloat16 = 1e-2;

}  // namespace

RowFormat parse_row_format(std::string_view name) {
  for (const RowFormat format : {RowFormat::float32, RowFormat::bfloat16}) {
    if (name == row_format_name(format)) return format;
  }
  throw InvalidArgument("row_format", '\'' + std::string(utf8_prefix(name, 80)) + '\'', "'float32', 'bfloat16'");
}

std::string_view row_format_name(RowFormat format) { return format == RowFormat::float32 ? "float32" : "bfloat16"; }

void RowShape::write(const float* values, std::byte* row) const {
  if (format_ == RowFormat::float32) {
    std::memcpy(row, values, dim_ * sizeof(float));
    return;
  }
  auto* const out = reinterpret_cast<uint16_t*>(row);
  to_bfloat16({values, dim()}, out);
  if (dim_ % 2 != 0) out[dim_] = 0;
}

const float* RowShape::widen(const std::byte* row, float* buffer) const {
  from_bfloat16(reinterpret_cast<const uint16_t*>(row), dim(), buffer);
  return buffer;
}

bool RowShape::is_sound(const std::byte* row) const {
  thread_local std::vector<float> buffer;
  buffer.resize(dim());
  const double sum = kernels().square_sum(floats(row, buffer.data()), dim());
  if (std::abs(sum - 1.0) < (format_ == RowFormat::float32 ? kMostRounded : kMostRoundedBfloat16)) return true;
  return std::all_of(row, row + bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace memspan
