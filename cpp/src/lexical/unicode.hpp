// What the lexical index knows about Unicode: classes of characters, and folding that makes variants of a word equal.
//
// Everything here is const after first use and safe to call from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memspan {

// How the segmenter treats a code point of folded text. The values are those of the generated table.
enum class CharClass : uint8_t {
  separator,
  letter,     // of a script that writes words; also numerals other than decimal digits
  digit,
  mark,       // belongs to the character before it
  ideograph,  // Han, Kana, Bopomofo: no spaces between words
  unspaced,   // Thai, Lao, Khmer, Myanmar and relatives: no spaces between words
  hangul,
  emoji,
  regional,   // half of a flag
};

// Joins emoji to one picture.
inline constexpr char32_t kJoiner = 0x200D;

// A character that spells the region of a flag, after its black flag.
inline constexpr bool is_emoji_tag(char32_t code_point) { return code_point >= 0xE0020 && code_point <= 0xE007F; }

// Code point -> class in two array reads.
class CharClasses {
 public:
  // The table, unpacked on the first call.
  static const CharClasses& get();

  CharClass of(char32_t code_point) const {
    if (code_point > 0x10FFFF) return CharClass::separator;
    return pages_[page_of_[code_point >> 8]][code_point & 0xFF];
  }

 private:
  CharClasses();

  std::array<uint16_t, 0x1100> page_of_ = {};
  std::vector<std::array<CharClass, 256>> pages_;  // the first: separators only
};

// Appends `text` as search sees it: full case folding, compatibility forms (full-width digits, ligatures, circled
// letters) replaced, accents of Latin, Greek and Cyrillic and vowel points of Hebrew and Arabic removed, decimal
// digits of any script made ASCII, yeh and kaf as Persian writes them (and yeh without dots) made those of Arabic,
// typographic apostrophes and hyphens made ASCII, invisible format characters, skin tones and variation selectors
// removed, Hangul and Kana composed. Bad bytes become spaces. What comes out is valid UTF-8, and folding it again
// changes nothing. O(n).
void fold_for_search(std::string_view text, std::string& out);

}  // namespace memspan
