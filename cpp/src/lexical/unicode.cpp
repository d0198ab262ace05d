#include "lexical/unicode.hpp"

#include <cstring>

#include "lexical/unicode_tables.hpp"
#include "lexical/utf8.hpp"

namespace memspan {

namespace {

// Reads the numbers of a packed table: five bits a character from '#' up, lowest first, bit 5 set if more follow.
class VarintReader {
 public:
  explicit VarintReader(std::string_view packed) : packed_(packed) {}

  bool done() const { return position_ == packed_.size(); }

  uint32_t next() {
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 5) {
      const char c = packed_[position_++];
      const auto six = static_cast<uint32_t>((c == '~' ? '\\' : c) - '#');
      value |= (six & 31u) << shift;
      if (six < 32u) return value;
    }
  }

  // A signed number relative to `base`, stored zigzag.
  char32_t next_relative(char32_t base) {
    const uint32_t value = next();
    return (value & 1u) != 0 ? base - ((value + 1) >> 1) : base + (value >> 1);
  }

 private:
  std::string_view packed_;
  size_t position_ = 0;
};

// Code point -> what replaces it, in two array reads.
class FoldTable {
 public:
  explicit FoldTable(std::string_view packed) {
    pages_.emplace_back();
    char32_t source = 0;
    for (VarintReader reader(packed); !reader.done();) {
      source += reader.next();
      const uint32_t head = reader.next();
      if ((head & 1u) != 0) {
        read_string(reader, source, head >> 1);
      } else {
        read_run(reader, source, head);
      }
    }
  }

  // Calls emit(code point) for each code point that stands for the given one.
  template <typename Emit>
  void fold(char32_t code_point, Emit emit) const {
    const uint32_t entry = pages_[page_of_[code_point >> 8]][code_point & 0xFF];
    if (entry == kItself) {
      emit(code_point);
    } else if ((entry & kString) == 0) {
      emit(static_cast<char32_t>(entry));
    } else {
      const uint32_t offset = entry & 0xFFFF;
      const uint32_t length = (entry >> 16) & 0x7F;
      for (uint32_t i = 0; i < length; ++i) emit(strings_[offset + i]);
    }
  }

 private:
  // An entry is kItself, another code point, or kString | length << 16 | offset in strings_; length 0 deletes.
  static constexpr uint32_t kItself = 0;
  static constexpr uint32_t kString = 1u << 31;

  uint32_t& entry(char32_t code_point) {
    uint16_t& page = page_of_[code_point >> 8];
    if (page == 0) {
      page = static_cast<uint16_t>(pages_.size());
      pages_.emplace_back();
    }
    return pages_[page][code_point & 0xFF];
  }

  void read_string(VarintReader& reader, char32_t source, uint32_t length) {
    entry(source) = kString | (length << 16) | static_cast<uint32_t>(strings_.size());
    for (uint32_t i = 0; i < length; ++i) strings_.push_back(reader.next_relative(source));
  }

  void read_run(VarintReader& reader, char32_t source, uint32_t head) {
    const uint32_t stride = (head & 2u) != 0 ? 2 : 1;
    const uint32_t step = (head & 4u) != 0 ? stride : 0;
    const char32_t target = reader.next_relative(source);
    for (uint32_t i = 0; i <= head >> 3; ++i) {
      entry(source + i * stride) = target == 0 ? kString : static_cast<uint32_t>(target + i * step);
    }
  }

  std::array<uint16_t, 0x1100> page_of_ = {};
  std::vector<std::array<uint32_t, 256>> pages_;  // the first: every code point stands for itself
  std::u32string strings_;
};

const FoldTable& search_folds() {
  static const FoldTable table(kSearchFolds);
  return table;
}

const FoldTable& case_folds() {
  static const FoldTable table(kCaseFolds);
  return table;
}

// The composition of two code points of Hangul or Kana; 0: they do not compose. Everything else is left decomposed.
char32_t compose(char32_t first, char32_t second) {
  if (second >= 0x1161 && second <= 0x1175 && first >= 0x1100 && first <= 0x1112) {
    return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28;
  }
  if (second >= 0x11A8 && second <= 0x11C2 && first >= 0xAC00 && first <= 0xD7A3 && (first - 0xAC00) % 28 == 0) {
    return first + (second - 0x11A7);
  }
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

// White_Space, control characters and the zero width space.
bool is_blank(char32_t code_point) {
  return code_point <= 0x20 || (code_point >= 0x7F && code_point <= 0xA0) || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200B) || code_point == 0x2028 || code_point == 0x2029 ||
         code_point == 0x202F || code_point == 0x205F || code_point == 0x3000 || code_point == 0xFEFF ||
         code_point == kBadByte;
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

std::string normalize_tag(std::string_view name) {
  const FoldTable& folds = case_folds();
  std::string out;
  out.reserve(name.size());
  bool after_blank = true;     // the start and the end count as blanks
  size_t pending_hyphens = 0;  // hyphens after a blank, dropped if another follows
  while (!name.empty()) {
    const DecodedChar decoded = decode_utf8(name.data(), name.data() + name.size());
    name.remove_prefix(decoded.size);
    if (is_blank(decoded.code_point) || decoded.code_point == U'_') {
      pending_hyphens = 0;
      after_blank = true;
    } else if (decoded.code_point == U'-' && after_blank) {
      ++pending_hyphens;
    } else {
      if (after_blank && !out.empty()) out.push_back('_');
      after_blank = false;
      out.append(pending_hyphens, '-');
      pending_hyphens = 0;
      folds.fold(decoded.code_point, [&](char32_t folded) { append_utf8(folded, out); });
    }
  }
  return out;
}

}  // namespace memspan
