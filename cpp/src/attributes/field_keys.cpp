#include "attributes/field_keys.hpp"

#include <bit>
#include <string_view>

namespace memspan {
namespace {

constexpr int kKindShift = 62;
constexpr FieldKey kNumber = FieldKey{1} << kKindShift;
constexpr FieldKey kText = FieldKey{2} << kKindShift;
constexpr FieldKey kRest = (FieldKey{1} << kKindShift) - 1;

// Rounding to a double keeps the order of integers, and makes some equal.
uint64_t in_order(const json::value& number) noexcept {
  const double value = number.is_double()  ? number.get_double()
                       : number.is_int64() ? static_cast<double>(number.get_int64())
                                           : static_cast<double>(number.get_uint64());
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);  // -0 is 0
  constexpr uint64_t kSign = uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Characters from ' ' to '=', digits among them, take 6 bits, so that a date has its day; others 9. The end comes before all,
// as does what ends it here: a control character, which stands for each of them.
uint64_t first_characters(std::string_view text) noexcept {
  constexpr uint64_t kControl = 1;
  constexpr unsigned char kFirst = ' ';
  constexpr unsigned char kBeyond = '>';
  uint64_t bits = 0;
  int left = kKindShift;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool is_short = byte < kBeyond;
    const uint64_t code = byte < kFirst ? kControl : is_short ? kControl + 1 + byte - kFirst : 0x100u | byte;
    left -= is_short ? 6 : 9;
    if (left <= 0) return bits | code >> -left;
    bits |= code << left;
    if (code == kControl) break;
  }
  return bits;
}

}  // namespace

KeyOf::Number KeyOf::of(const json::value& value) noexcept {
  constexpr int kKindBits = 64 - kKindShift;
  if (value.is_number()) return kNumber | in_order(value) >> kKindBits;
  if (const json::string* text = value.if_string()) return kText | first_characters(*text);
  return kMissing;
}

KeyRange keys_from(const json::value& value) noexcept {
  const FieldKey key = KeyOf::of(value);
  return {key, key | kRest};
}
KeyRange keys_up_to(const json::value& value) noexcept {
  const FieldKey key = KeyOf::of(value);
  return {key & ~kRest, key};
}

}  // namespace memspan
