#include "lexical/unicode.hpp"

#include <cstring>

#include "lexical/hangul.hpp"
#include "lexical/packed_tables.hpp"
#include "lexical/unicode_tables.hpp"
#include "lexical/utf8.hpp"

namespace memspan {

namespace {

const FoldTable& search_folds() {
  static const FoldTable table(kSearchFolds);
  return table;
}

// The composition of two code points of Hangul or Kana; 0: they do not compose. Everything else is left decomposed.
char32_t compose(char32_t first, char32_t second) {
  if (const char32_t syllable = compose_hangul(first, second); syllable != 0) return syllable;
  if (second != 0x3099 && second != 0x309A) return 0;
  const bool katakana = first >= 0x30A1 && first <= 0x30FE;
  const char32_t kana = katakana ? first - 0x60 : first;
  const char32_t shift = second == 0x3099 ? 1 : 2;
  if (kana >= 0x306F && kana <= 0x307B && kana % 3 == 0) return first + shift;  // ha, hi, fu, he, ho
  if (shift == 2) return 0;
  const bool before_small_tsu = kana >= 0x304B && kana <= 0x3061 && kana % 2 == 1;  // ka to chi
  const bool after_small_tsu = kana >= 0x3064 && kana <= 0x3068 && kana % 2 == 0;   // tsu, te, to
  if (before_small_tsu || after_small_tsu || kana == 0x309D) return first + 1;
  if (kana == 0x3046) return first + 0x4E;                       // u -> vu
  if (first >= 0x30EF && first <= 0x30F2) return first + 8;      // wa, wi, we, wo
  return 0;
}

bool is_skin_tone(char32_t code_point) { return code_point >= 0x1F3FB && code_point <= 0x1F3FF; }

// Receives folded code points and decides what depends on the one before: composition and emoji.
class FoldedWriter {
 public:
  explicit FoldedWriter(std::string& out) : out_(out) {}

  void write(char32_t code_point) {
    if (const char32_t composed = compose(last_, code_point); composed != 0) {
      out_.resize(last_position_);
      code_point = composed;
    } else if (code_point == kJoiner || is_emoji_tag(code_point)) {
      if (!in_emoji_) return;
    } else if (is_skin_tone(code_point) && in_emoji_ && last_ != kJoiner) {
      return;
    } else {
      in_emoji_ = classes_.of(code_point) == CharClass::emoji;
    }
    last_position_ = out_.size();
    last_ = code_point;
    append_utf8(code_point, out_);
  }

  // ASCII text went to the output beside this writer.
  void forget_context() {
    last_ = 0;
    in_emoji_ = false;
  }

 private:
  std::string& out_;
  const CharClasses& classes_ = CharClasses::get();
  size_t last_position_ = 0;
  char32_t last_ = 0;
  bool in_emoji_ = false;  // the last code point is an emoji, or a joiner or tag after one
};

// The length of the longest prefix without a byte above 0x7F.
size_t ascii_prefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, text.data() + i, 8);
    if ((eight & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

char ascii_lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

void append_ascii_lower(std::string_view text, std::string& out) {
  const size_t old_size = out.size();
  out.append(text);
  char* const begin = out.data() + old_size;
  for (size_t i = 0; i < text.size(); ++i) begin[i] = ascii_lower(begin[i]);
}

}  // namespace

const CharClasses& CharClasses::get() {
  static const CharClasses classes;
  return classes;
}

CharClasses::CharClasses() {
  pages_.emplace_back();
  char32_t position = 0;
  for (VarintReader reader(kClassRuns); !reader.done();) {
    position += reader.next();
    const uint32_t head = reader.next();
    const char32_t end = position + (head >> 4) + 1;
    for (; position < end; ++position) {
      uint16_t& page = page_of_[position >> 8];
      if (page == 0) {
        page = static_cast<uint16_t>(pages_.size());
        pages_.emplace_back();
      }
      pages_[page][position & 0xFF] = static_cast<CharClass>(head & 15u);
    }
  }
}

void fold_for_search(std::string_view text, std::string& out) {
  const FoldTable& folds = search_folds();
  FoldedWriter writer(out);
  while (!text.empty()) {
    if (const size_t ascii = ascii_prefix(text); ascii > 0) {
      append_ascii_lower(text.substr(0, ascii), out);
      writer.forget_context();
      text.remove_prefix(ascii);
      continue;
    }
    const DecodedChar decoded = decode_utf8(text.data(), text.data() + text.size());
    text.remove_prefix(decoded.size);
    if (decoded.code_point == kBadByte) {
      writer.write(U' ');
    } else {
      folds.fold(decoded.code_point, [&](char32_t folded) { writer.write(folded); });
    }
  }
}

}  // namespace memspan
