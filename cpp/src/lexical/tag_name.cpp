#include "lexical/tag_name.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>

#include "lexical/hangul.hpp"
#include "lexical/packed_tables.hpp"
#include "lexical/unicode.hpp"
#include "lexical/unicode_tables.hpp"
#include "lexical/utf8.hpp"

namespace memspan {
namespace {

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kIotaBelow = 0x0345;
constexpr char32_t kIota = 0x03B9;
constexpr uint8_t kVirama = 9;  // the class of the signs that take a vowel away

// The canonical classes of marks: in their order several of a letter stand. 0: no mark.
class CombiningClasses {
 public:
  CombiningClasses() {
    pages_.emplace_back();
    char32_t position = 0;
    for (VarintReader reader(kCombiningClasses); !reader.done();) {
      position += reader.next();
      const char32_t end = position + reader.next() + 1;
      for (const auto mark_class = static_cast<uint8_t>(reader.next()); position < end; ++position) {
        uint16_t& page = page_of_[position >> 8];
        if (page == 0) {
          page = static_cast<uint16_t>(pages_.size());
          pages_.emplace_back();
        }
        pages_[page][position & 0xFF] = mark_class;
      }
    }
  }

  uint8_t of(char32_t code_point) const { return pages_[page_of_[code_point >> 8]][code_point & 0xFF]; }

 private:
  std::array<uint16_t, 0x1100> page_of_ = {};
  std::vector<std::array<uint8_t, 256>> pages_;  // the first: no marks
};

// What two code points make together.
class Compositions {
 public:
  Compositions() {
    char32_t composed = 0;
    for (VarintReader reader(kCompositions); !reader.done();) {
      composed += reader.next();
      const char32_t first = reader.next_relative(composed);
      composed_[key(first, reader.next_relative(composed))] = composed;
    }
  }

  // 0: nothing.
  char32_t of(char32_t first, char32_t second) const {
    if (const char32_t syllable = compose_hangul(first, second); syllable != 0) return syllable;
    const auto found = composed_.find(key(first, second));
    return found == composed_.end() ? 0 : found->second;
  }

 private:
  static uint64_t key(char32_t first, char32_t second) { return static_cast<uint64_t>(first) << 32 | second; }

  boost::unordered_flat_map<uint64_t, char32_t> composed_;
};

struct TagTables {
  FoldTable folds{kTagFolds};
  CombiningClasses marks;
  Compositions compositions;

  static const TagTables& get() {
    static const TagTables tables;
    return tables;
  }
};

// White_Space, control characters and the zero width spaces.
bool is_blank(char32_t code_point) {
  return code_point <= 0x20 || (code_point >= 0x7F && code_point <= 0xA0) || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200B) || code_point == 0x2028 || code_point == 0x2029 ||
         code_point == 0x202F || code_point == 0x205F || code_point == 0x3000 || code_point == 0xFEFF ||
         code_point == kBadByte;
}

// Folded and taken apart, every blank an underscore.
std::u32string take_apart(std::string_view name, const FoldTable& folds) {
  std::u32string out;
  out.reserve(name.size());
  while (!name.empty()) {
    const DecodedChar decoded = decode_utf8(name.data(), name.data() + name.size());
    name.remove_prefix(decoded.size);
    if (is_blank(decoded.code_point)) {
      out.push_back(U'_');
    } else {
      folds.fold(decoded.code_point, [&](char32_t folded) { out.push_back(folded); });
    }
  }
  return out;
}

void order_marks(std::u32string& text, const CombiningClasses& marks) {
  const auto is_mark = [&](char32_t c) { return marks.of(c) != 0; };
  for (auto begin = text.begin(); (begin = std::find_if(begin, text.end(), is_mark)) != text.end();) {
    const auto end = std::find_if_not(begin, text.end(), is_mark);
    std::stable_sort(begin, end, [&](char32_t a, char32_t b) { return marks.of(a) < marks.of(b); });
    begin = end;
  }
}

// Is there an emoji, or one of the arrows that some emoji end in?
bool joins_emoji(char32_t code_point) {
  return CharClasses::get().of(code_point) == CharClass::emoji || (code_point >= 0x2190 && code_point <= 0x21FF);
}

// Drops the joiners, and letters of flags, that nobody sees.
void drop_unseen(std::u32string& text, const CombiningClasses& marks) {
  size_t size = 0;
  bool in_emoji = false;
  bool after_virama = false;  // among the marks of a letter
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == kJoiner || c == kNonJoiner) {
      const bool between = c == kJoiner && in_emoji && i + 1 < text.size() && joins_emoji(text[i + 1]);
      if (!between && !after_virama) continue;
      in_emoji = after_virama = false;
    } else if (is_emoji_tag(c)) {
      if (!in_emoji) continue;
    } else {
      in_emoji = joins_emoji(c);
      after_virama = marks.of(c) == kVirama || (after_virama && marks.of(c) != 0);
    }
    text[size++] = c;
  }
  text.resize(size);
}

void compose(std::u32string& text, const TagTables& tables) {
  size_t size = 0;
  size_t letter = std::u32string::npos;
  uint8_t last = 0;
  for (const char32_t c : text) {
    const uint8_t mark = tables.marks.of(c);
    // A mark does not reach the letter past another of its own class or above.
    if (letter != std::u32string::npos && (last < mark || size == letter + 1)) {
      if (const char32_t composed = tables.compositions.of(text[letter], c); composed != 0) {
        text[letter] = composed;
        continue;
      }
    }
    if (mark == 0) letter = size;
    last = mark;
    text[size++] = c;
  }
  text.resize(size);
}

// Receives folded code points, and turns blanks into underscores.
class NameWriter {
 public:
  explicit NameWriter(size_t bytes) { out_.reserve(bytes); }

  void write(char32_t code_point) {
    if (code_point == U'_') {
      pending_hyphens_ = 0;
      after_blank_ = true;
    } else if (code_point == U'-' && after_blank_) {
      ++pending_hyphens_;
    } else {
      if (after_blank_ && !out_.empty()) out_.push_back('_');
      after_blank_ = false;
      out_.append(pending_hyphens_, '-');
      pending_hyphens_ = 0;
      append_utf8(code_point, out_);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  bool after_blank_ = true;      // the start and the end count as blanks
  size_t pending_hyphens_ = 0;  // hyphens after a blank, dropped if another follows
};

}  // namespace

std::string normalize_tag(std::string_view name) {
  NameWriter writer(name.size());
  if (std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    for (const char c : name) {
      const auto code_point = static_cast<char32_t>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
      writer.write(is_blank(code_point) ? U'_' : code_point);
    }
    return writer.take();
  }
  const TagTables& tables = TagTables::get();
  std::u32string text = take_apart(name, tables.folds);
  order_marks(text, tables.marks);
  std::replace(text.begin(), text.end(), kIotaBelow, kIota);
  const size_t size = text.size();
  drop_unseen(text, tables.marks);
  if (text.size() < size) order_marks(text, tables.marks);  // those that a joiner stood between
  compose(text, tables);
  for (const char32_t c : text) writer.write(c);
  return writer.take();
}

}  // namespace memspan
