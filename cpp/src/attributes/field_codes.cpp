#include "attributes/field_codes.hpp"

#include <bit>
#include <cmath>
#include <string_view>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

// Numbers are equal by value, however they are written: what an int64 holds goes by that, and all else by the nearest double.
uint64_t hash_of_number(const json::value& number) noexcept {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (number.is_int64()) return static_cast<uint64_t>(number.get_int64());
  const double value = number.is_uint64() ? static_cast<double>(number.get_uint64()) : number.get_double();
  if (value >= -kBeyond && value < kBeyond && value == std::trunc(value)) return static_cast<uint64_t>(static_cast<int64_t>(value));
  return std::bit_cast<uint64_t>(value);
}

uint64_t hash_of(const json::value& value) noexcept {
  const auto kind = static_cast<uint64_t>(value.kind());
  if (value.is_number()) return hash_of_number(value);
  if (const json::string* text = value.if_string()) return StringHash()(*text);
  if (const bool* flag = value.if_bool()) return (kind << 1) + (*flag ? 1 : 0);
  return kind << 1;  // lists and objects: one for all, as their elements would have to be put in an order
}

}  // namespace

CodeOf::Number CodeOf::of(const json::value& value) noexcept {
  const auto code = static_cast<Number>(hash_of(value) * 0x9e3779b97f4a7c15 >> 48);
  return code == kMissing ? Number{1} : code;
}

}  // namespace memspan
