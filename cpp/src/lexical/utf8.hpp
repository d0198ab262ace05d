// Reading and writing UTF-8 whose validity nobody has vouched for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memspan {

// What decode_utf8 reports for a byte that does not belong to valid UTF-8.
inline constexpr char32_t kBadByte = 0xFFFFFFFF;

struct DecodedChar {
  char32_t code_point;
  uint32_t size;  // bytes read: 1 to 4; 1 for a bad byte
};

namespace detail {
// Decodes a sequence that starts with a byte of 0x80 or more.
DecodedChar decode_multibyte(const char* begin, const char* end);
}  // namespace detail

// Decodes one code point. Requires begin < end. Overlong forms, surrogates and values above U+10FFFF are bad bytes, one
// at a time, so that decoding resumes at the next good character.
inline DecodedChar decode_utf8(const char* begin, const char* end) {
  const auto lead = static_cast<unsigned char>(*begin);
  if (lead < 0x80) return {lead, 1};
  return detail::decode_multibyte(begin, end);
}

// Appends the encoding of a code point that is neither a surrogate nor above U+10FFFF.
void append_utf8(char32_t code_point, std::string& out);

// The longest prefix of valid UTF-8 that has at most `limit` bytes and does not cut a character.
std::string_view utf8_prefix(std::string_view text, size_t limit);

}  // namespace memspan
