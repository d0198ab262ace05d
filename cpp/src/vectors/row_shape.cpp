#include "vectors/row_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "lexical/utf8.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

constexpr uint32_t kHalf = 16;  // bits of a float that bfloat16 lacks

uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> kHalf & 1)) >> kHalf);
}

// Of a unit vector whose values were rounded.
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
  for (size_t i = 0; i < dim_; ++i) out[i] = to_bfloat16(values[i]);
  if (dim_ % 2 != 0) out[dim_] = 0;
}

const float* RowShape::widen(const std::byte* row, float* buffer) const {
  const auto* const values = reinterpret_cast<const uint16_t*>(row);
  for (size_t i = 0; i < dim_; ++i) buffer[i] = std::bit_cast<float>(uint32_t{values[i]} << kHalf);
  return buffer;
}

bool RowShape::is_sound(const std::byte* row) const {
  double sum = 0.0;
  if (format_ == RowFormat::float32) {
    sum = kernels().square_sum(reinterpret_cast<const float*>(row), dim_);
  } else {
    const auto* const values = reinterpret_cast<const uint16_t*>(row);
    for (size_t i = 0; i < dim_; ++i) {
      const auto value = static_cast<double>(std::bit_cast<float>(uint32_t{values[i]} << kHalf));
      sum += value * value;
    }
  }
  if (std::abs(sum - 1.0) < (format_ == RowFormat::float32 ? kMostRounded : kMostRoundedBfloat16)) return true;
  return std::all_of(row, row + bytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace memspan
