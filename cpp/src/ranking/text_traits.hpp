// What the learned ranking wants to know of a text that nobody keeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace memspan {

using TextTraits = uint8_t;  // a set of bits
inline constexpr TextTraits kHasQuestion = 1;
inline constexpr TextTraits kEndsWithQuestion = 2;
inline constexpr TextTraits kAllTraits = kHasQuestion | kEndsWithQuestion;

// O(n).
inline TextTraits traits_of(std::string_view text) {
  // Latin, full-width, Arabic, Greek (as a character of its own) and Armenian.
  constexpr std::array<std::string_view, 5> kMarks = {"?", "\xEF\xBC\x9F", "\xD8\x9F", "\xCD\xBE", "\xD5\x9E"};
  TextTraits traits = 0;
  const size_t last = text.find_last_not_of(" \t\r\n\"')");
  const std::string_view body = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  for (const std::string_view mark : kMarks) {
    if (body.ends_with(mark)) return kAllTraits;
    if (body.find(mark) != std::string_view::npos) traits = kHasQuestion;
  }
  return traits;
}

}  // namespace memspan
