#include "memspan/analyzer.hpp"

#include <algorithm>
#include <cstring>

#include "lexical/english_stemmer.hpp"
#include "lexical/segmenter.hpp"
#include "lexical/stop_words.hpp"
#include "lexical/unicode.hpp"
#include "lexical/utf8.hpp"
#include "memspan/error.hpp"

namespace memspan {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What the segmenter says of a word that it cuts itself.
uint8_t traits_of(std::string_view word) {
  uint8_t found = 0;
  for (const char c : word) {
    if (is_digit(c)) found |= traits::kDigit;
    if (c == '\'') found |= traits::kApostrophe;
    if (c == ',') found |= traits::kComma;
    if (static_cast<unsigned char>(c) >= 0x80) found |= traits::kNonAscii;
  }
  return found;
}

bool is_ordinal_or_decade(std::string_view ending) {
  return ending == "st" || ending == "nd" || ending == "rd" || ending == "th" || ending == "s";
}

// Removes the possessive s and contracted auxiliaries from the end of the word. True if it was negated.
bool strip_contractions(std::string_view& word) {
  bool negated = false;
  for (;;) {
    size_t cut = 0;
    for (const std::string_view ending : {"'s", "'m", "'d", "'re", "'ve", "'ll", "n't"}) {
      if (word.ends_with(ending)) cut = ending.size();
    }
    if (cut == 0) return negated;
    if (word.ends_with("n't")) {
      negated = true;
      if (word == "can't") cut = 2;  // the n belongs to the verb
      if (word == "won't" || word == "shan't" || word == "ain't") cut = word.size();
    }
    word.remove_suffix(cut);
  }
}

// Turns segments into tokens.
class TokenWriter {
 public:
  TokenWriter(AnalyzerKind kind, TokenBuffer& out) : english_(kind == AnalyzerKind::english), out_(out) {}

  void write(const Segment& segment) {
    switch (segment.kind) {
      case SegmentKind::word:
        return write_word(segment.text, segment.traits);
      case SegmentKind::acronym: {
        const std::string_view letters = without(segment.text, ".");
        return write_plain(letters, 0);
      }
      case SegmentKind::identifier: {
        std::string_view whole = segment.text;
        if (english_ && whole.ends_with("'s")) whole.remove_suffix(2);
        return write_token(segment.traits == 0 ? whole : without(whole, "',"));
      }
      case SegmentKind::ngram:
      case SegmentKind::emoji:
        return write_token(segment.text);
    }
  }

 private:
  void write_token(std::string_view token) {
    token = utf8_prefix(token, kMaxTokenBytes);
    if (!token.empty()) out_.append(token);
  }

  // A word without apostrophes and commas.
  void write_plain(std::string_view word, uint8_t traits) {
    if (!english_ || traits != 0) return write_token(word);
    switch (classify_english(word)) {
      case EnglishWord::stop:
        return;
      case EnglishWord::negation:
        return write_token("not");
      case EnglishWord::content:
        break;
    }
    char letters[kMaxTokenBytes];
    const size_t size = std::min(word.size(), kMaxTokenBytes);
    std::memcpy(letters, word.data(), size);
    write_token({letters, stem_english(letters, size)});
  }

  void write_word(std::string_view word, uint8_t traits) {
    if ((traits & traits::kComma) != 0) return write_grouped_number(word);
    if ((traits & traits::kApostrophe) != 0) return write_with_apostrophe(word);
    if (is_digit(word.front())) return write_number(word, traits);
    write_plain(word, traits);
  }

  // A word that starts with a digit; if letters follow to its end, they are its unit.
  void write_number(std::string_view word, uint8_t traits) {
    const auto unit_at = std::find_if_not(word.begin(), word.end(), is_digit);
    const auto digits = static_cast<size_t>(unit_at - word.begin());
    if (digits == word.size() || std::any_of(unit_at, word.end(), is_digit)) return write_token(word);
    const std::string_view unit = word.substr(digits);
    if (english_ && is_ordinal_or_decade(unit)) return write_token(word.substr(0, digits));
    write_token(word);
    write_token(word.substr(0, digits));
    write_plain(unit, traits & traits::kNonAscii);
  }

  void write_grouped_number(std::string_view word) {
    std::string_view number = word;
    if (english_ && number.ends_with("'s")) number.remove_suffix(2);
    number = without(number, ",'");
    write_number(number, traits_of(number));
  }

  void write_with_apostrophe(std::string_view word) {
    const bool negated = english_ && strip_contractions(word);
    if (const uint8_t rest = traits_of(word); (rest & traits::kApostrophe) == 0) {
      if (!word.empty()) write_word(word, rest);
    } else {
      write_joined_and_parts(word);
    }
    if (negated) write_token("not");
  }

  // o'clock: oclock, o, clock.
  void write_joined_and_parts(std::string_view word) {
    const std::string_view joined = without(word, "'");
    write_plain(joined, traits_of(joined));
    while (!word.empty()) {
      const std::string_view part = word.substr(0, word.find('\''));
      word.remove_prefix(std::min(word.size(), part.size() + 1));
      if (!part.empty()) write_plain(part, traits_of(part));
    }
  }

  // The text without the given characters, of the rest no more than a token can hold. Valid until the next call.
  std::string_view without(std::string_view text, std::string_view characters) {
    size_t size = 0;
    for (const char c : text) {
      if (size == sizeof scratch_) break;
      if (characters.find(c) == std::string_view::npos) scratch_[size++] = c;
    }
    return {scratch_, size};
  }

  bool english_;
  TokenBuffer& out_;
  char scratch_[kMaxTokenBytes + 4];  // one character longer than a token, so that the cut falls between characters
};

}  // namespace

AnalyzerKind parse_analyzer(std::string_view name) {
  for (const AnalyzerKind kind : {AnalyzerKind::english, AnalyzerKind::simple}) {
    if (name == analyzer_name(kind)) return kind;
  }
  throw InvalidArgument("analyzer", '\'' + std::string(utf8_prefix(name, 80)) + '\'', "'english', 'simple'");
}

std::string_view analyzer_name(AnalyzerKind kind) { return kind == AnalyzerKind::english ? "english" : "simple"; }

void Analyzer::analyze(std::string_view text, TokenBuffer& out) const {
  out.folded_.clear();
  fold_for_search(text, out.folded_);
  Segmenter segmenter(out.folded_);
  TokenWriter writer(kind_, out);
  for (Segment segment; segmenter.next(segment);) writer.write(segment);
}

}  // namespace memspan
