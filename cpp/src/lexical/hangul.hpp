// Syllables of Hangul, which compose by arithmetic.
#pragma once

namespace memspan {

// The syllable that two code points make; 0: none.
inline constexpr char32_t compose_hangul(char32_t first, char32_t second) {
  if (second >= 0x1161 && second <= 0x1175 && first >= 0x1100 && first <= 0x1112) {
    return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28;
  }
  if (second >= 0x11A8 && second <= 0x11C2 && first >= 0xAC00 && first <= 0xD7A3 && (first - 0xAC00) % 28 == 0) {
    return first + (second - 0x11A7);
  }
  return 0;
}

}  // namespace memspan
