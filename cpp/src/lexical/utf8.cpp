#include "lexical/utf8.hpp"

namespace memspan {

namespace detail {

DecodedChar decode_multibyte(const char* begin, const char* end) {
  constexpr DecodedChar kBad = {kBadByte, 1};
  const auto lead = static_cast<unsigned char>(*begin);
  uint32_t size = 0;
  char32_t code_point = 0;
  char32_t smallest = 0;
  if (lead < 0xC2) {
    return kBad;
  } else if (lead < 0xE0) {
    size = 2;
    code_point = lead & 0x1Fu;
    smallest = 0x80;
  } else if (lead < 0xF0) {
    size = 3;
    code_point = lead & 0x0Fu;
    smallest = 0x800;
  } else if (lead < 0xF5) {
    size = 4;
    code_point = lead & 0x07u;
    smallest = 0x10000;
  } else {
    return kBad;
  }
  if (end - begin < static_cast<std::ptrdiff_t>(size)) return kBad;
  for (uint32_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(begin[i]);
    if ((byte & 0xC0) != 0x80) return kBad;
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  if (code_point < smallest || code_point > 0x10FFFF || surrogate) return kBad;
  return {code_point, size};
}

}  // namespace detail

void append_utf8(char32_t code_point, std::string& out) {
  const auto continuation = [&](unsigned shift) {
    return static_cast<char>(0x80u | ((code_point >> shift) & 0x3Fu));
  };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0u | (code_point >> 6)), continuation(0)};
    out.append(bytes, sizeof bytes);
  } else if (code_point < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0u | (code_point >> 12)), continuation(6), continuation(0)};
    out.append(bytes, sizeof bytes);
  } else {
    const char bytes[] = {static_cast<char>(0xF0u | (code_point >> 18)), continuation(12), continuation(6),
                          continuation(0)};
    out.append(bytes, sizeof bytes);
  }
}

std::string_view utf8_prefix(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t size = limit;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace memspan
