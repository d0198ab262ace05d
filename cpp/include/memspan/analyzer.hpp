// From text to the tokens of the lexical index.
//
// Every text is folded (case, accents, compatibility forms: lexical/unicode.hpp), cut into words
// (lexical/segmenter.hpp) and then treated as its kind demands:
//
//   simple   words as they are; one with an apostrophe is found with and without it: "l'amour" gives lamour, l, amour.
//   english  stop words are dropped (so a query of nothing else gives no tokens); the rest is stemmed (Snowball
//            English) if it is all a-z. Possessives and contracted auxiliaries go: "Ana's", "she'll" give ana, she. A
//            contracted negation becomes the word "not", with or without its apostrophe: "can't", "cant" and "can not"
//            are equal. Ordinals and decades lose their ending: "8th", "1990s" give 8, 1990.
//
// Both: an identifier gives a token for its whole, not stemmed, and then its parts as words, so that "gpt-4.1-mini",
// "foo_bar.py", "ana@example.com", "well-known", "2023-05-08", "10:30" and "C++" are found whole and by part. Where
// '/', '@' and the like divide it, so are the larger parts: example.com. A number with a unit ("10am", "5kg") is treated
// alike. These extra tokens count into the length of the text, as the words they stand for would. Commas that group
// digits are removed (3,000 = 3000), dots that abbreviate too (U.S. = us). Scripts that put no spaces between words
// (Han, Kana, Thai, ...) and Hangul give overlapping pairs of characters; a lone character gives itself. An emoji is
// one token, whatever its skin tone. Tokens longer than kMaxTokenBytes are cut, at a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memspan {

enum class AnalyzerKind : uint8_t { english = 0, simple = 1 };

// Stored with an index; grows when any text gives other tokens than before, or any tag another normal form.
inline constexpr uint32_t kAnalyzerVersion = 2;

inline constexpr size_t kMaxTokenBytes = 128;

// No text of n bytes gives more than n times this many tokens.
inline constexpr size_t kMaxTokensPerByte = 2;

// Throws InvalidArgument for any other name than "english" and "simple".
AnalyzerKind parse_analyzer(std::string_view name);
std::string_view analyzer_name(AnalyzerKind kind);

// A sequence of tokens in one block of memory. Reuse a buffer, and adding tokens allocates nothing once it has grown.
// Not for use by two threads at once.
class TokenBuffer {
 public:
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  // Valid until the next change of the buffer.
  std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

  void append(std::string_view token) {
    bytes_.append(token);
    ends_.push_back(bytes_.size());
  }

  void clear() {
    bytes_.clear();
    ends_.clear();
  }

  size_t bytes() const { return bytes_.capacity() + folded_.capacity() + ends_.capacity() * sizeof(size_t); }

 private:
  friend class Analyzer;

  std::string bytes_;
  std::vector<size_t> ends_;  // of each token in bytes_
  std::string folded_;        // scratch of the analyzer
};

// Stateless; every member function may be called from any thread.
class Analyzer {
 public:
  explicit Analyzer(AnalyzerKind kind) : kind_(kind) {}

  AnalyzerKind kind() const { return kind_; }

  // Appends the tokens of `text` to `out`, in the order of the text. Bytes that are not UTF-8 separate words. O(n).
  void analyze(std::string_view text, TokenBuffer& out) const;

 private:
  AnalyzerKind kind_;
};

}  // namespace memspan
