#include "lexical/english_stemmer.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace memspan {

namespace {

using std::string_view;

constexpr uint32_t letter_set(string_view letters) {
  uint32_t set = 0;
  for (const char c : letters) set |= 1u << (c - 'a');
  return set;
}

constexpr bool is_in(uint32_t set, char c) { return c >= 'a' && ((set >> (c - 'a')) & 1u) != 0; }

// A 'y' that counts as a consonant is written 'Y' while the word is worked on, so it is not in this set.
constexpr uint32_t kVowels = letter_set("aeiouy");
constexpr uint32_t kDoubled = letter_set("bdfgmnprt");
constexpr uint32_t kBeforeLi = letter_set("cdeghkmnrt");

constexpr bool is_vowel(char c) { return is_in(kVowels, c); }

struct Exception {
  string_view word;
  string_view stem;
};

constexpr std::array<Exception, 15> kExceptions = {{
    {"skis", "ski"}, {"skies", "sky"}, {"idly", "idl"}, {"gently", "gentl"}, {"ugly", "ugli"}, {"early", "earli"},
    {"only", "onli"}, {"singly", "singl"}, {"sky", "sky"},    {"news", "news"},     {"howe", "howe"},
    {"atlas", "atlas"}, {"cosmos", "cosmos"}, {"bias", "bias"}, {"andes", "andes"},
}};

constexpr size_t kLongestException = 6;
constexpr uint32_t kExceptionEnds = letter_set("esy");

// Beginnings after which region R1 starts at once, so that what follows them is a suffix.
constexpr std::array<string_view, 9> kPrefixes = {"gener", "commun", "arsen", "past",  "univers",
                                                  "later", "emerg",  "organ", "inter"};

// Words that only look like verb + "ing", and like verb + "eed".
constexpr std::array<string_view, 6> kNotBeforeIng = {"inn", "out", "cann", "herr", "earr", "even"};
constexpr std::array<string_view, 3> kNotBeforeEed = {"proc", "exc", "succ"};

// A suffix of step 2, 3 or 4 and what takes its place.
struct Rule {
  string_view suffix;
  string_view replacement;
  uint32_t before = 0;     // if not 0: the letters that may precede the suffix
  bool needs_r2 = false;   // the suffix must lie in R2, not just in the step's own region
};

// In each step a longer suffix stands before those it ends with: the first that fits decides.
constexpr std::array<Rule, 25> kStep2 = {{
    {"ational", "ate"}, {"ization", "ize"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
    {"tional", "tion"}, {"biliti", "ble"},  {"lessli", "less"}, {"fulli", "ful"},   {"entli", "ent"},
    {"ousli", "ous"},   {"aliti", "al"},    {"iviti", "ive"},   {"alism", "al"},    {"ation", "ate"},
    {"ogist", "og"},    {"enci", "ence"},   {"anci", "ance"},   {"abli", "able"},   {"alli", "al"},
    {"izer", "ize"},    {"ator", "ate"},    {"bli", "ble"},     {"ogi", "og", letter_set("l")},
    {"li", "", kBeforeLi},
}};
constexpr std::array<Rule, 9> kStep3 = {{
    {"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"},
    {"ative", "", 0, true}, {"ical", "ic"}, {"ness", ""}, {"ful", ""},
}};
constexpr std::array<Rule, 18> kStep4 = {{
    {"ement", ""}, {"ance", ""}, {"ence", ""}, {"able", ""}, {"ible", ""}, {"ment", ""},
    {"ant", ""}, {"ent", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""},
    {"ive", ""}, {"ize", ""}, {"ion", "", letter_set("st")}, {"al", ""}, {"er", ""}, {"ic", ""},
}};

// Pairs of letters, to pass over most words without a look at any rule. Bit b of entry a: the pair (a, b) is there.
using LetterPairs = std::array<uint32_t, 26>;

constexpr void insert_pair(LetterPairs& pairs, char a, char b) {
  pairs[static_cast<size_t>(a - 'a')] |= 1u << (b - 'a');
}

constexpr bool contains_pair(const LetterPairs& pairs, char a, char b) {
  return a >= 'a' && is_in(pairs[static_cast<size_t>(a - 'a')], b);
}

template <const auto& rules>
constexpr LetterPairs kLastLetters = [] {
  LetterPairs pairs = {};
  for (const Rule& rule : rules) insert_pair(pairs, rule.suffix[rule.suffix.size() - 2], rule.suffix.back());
  return pairs;
}();

constexpr LetterPairs kPrefixLetters = [] {
  LetterPairs pairs = {};
  for (const string_view prefix : kPrefixes) insert_pair(pairs, prefix[0], prefix[1]);
  return pairs;
}();

// The word while it shrinks. Positions r1_ and r2_ are those of the original word and may come to lie behind its end.
class Word {
 public:
  Word(char* letters, size_t size) : letters_(letters), size_(size) {}

  size_t stem() {
    if (size_ <= 2) return size_;
    if (const size_t exceptional = stem_exception(); exceptional != 0) return exceptional;
    mark_consonant_y();
    find_regions();
    strip_plural();
    strip_verb_ending();
    if (size_ > 2 && is_y(size_ - 1) && !is_vowel(letters_[size_ - 2])) letters_[size_ - 1] = 'i';
    apply<kStep2>(r1_);
    apply<kStep3>(r1_);
    apply<kStep4>(r2_);
    strip_final_e_or_l();
    for (size_t i = 0; i < size_; ++i) {
      if (letters_[i] == 'Y') letters_[i] = 'y';
    }
    return size_;
  }

 private:
  string_view view() const { return {letters_, size_}; }
  bool is_y(size_t i) const { return letters_[i] == 'y' || letters_[i] == 'Y'; }

  bool has_vowel_before(size_t end) const {
    for (size_t i = 0; i < end; ++i) {
      if (is_vowel(letters_[i])) return true;
    }
    return false;
  }

  size_t stem_exception() {
    if (size_ > kLongestException || !is_in(kExceptionEnds, letters_[size_ - 1])) return 0;
    for (const Exception& exception : kExceptions) {
      if (view() != exception.word) continue;
      std::memcpy(letters_, exception.stem.data(), exception.stem.size());
      return exception.stem.size();
    }
    return 0;
  }

  void mark_consonant_y() {
    for (size_t i = 0; i < size_; ++i) {
      if (letters_[i] == 'y' && (i == 0 || is_vowel(letters_[i - 1]))) letters_[i] = 'Y';
    }
  }

  // The position after the first consonant that follows a vowel at or after `from`.
  size_t region_after(size_t from) const {
    size_t i = from;
    while (i < size_ && !is_vowel(letters_[i])) ++i;
    while (i < size_ && is_vowel(letters_[i])) ++i;
    return i < size_ ? i + 1 : size_;
  }

  void find_regions() {
    r1_ = region_after(0);
    if (contains_pair(kPrefixLetters, letters_[0], letters_[1])) {
      for (const string_view prefix : kPrefixes) {
        if (view().starts_with(prefix)) r1_ = prefix.size();
      }
    }
    r2_ = region_after(r1_);
  }

  // Whether the first `end` letters end in a short syllable.
  bool ends_short(size_t end) const {
    if (end < 2 || is_vowel(letters_[end - 1]) || !is_vowel(letters_[end - 2])) {
      return string_view(letters_, end).ends_with("past");
    }
    if (end == 2) return true;
    const char last = letters_[end - 1];
    return !is_vowel(letters_[end - 3]) && last != 'w' && last != 'x' && last != 'Y';
  }

  // Step 1a.
  void strip_plural() {
    const string_view word = view();
    if (word.ends_with("sses")) {
      size_ -= 2;
    } else if (word.ends_with("ies") || word.ends_with("ied")) {
      size_ -= size_ > 4 ? 2 : 1;
    } else if (word.back() == 's' && !word.ends_with("us") && !word.ends_with("ss") && has_vowel_before(size_ - 2)) {
      size_ -= 1;
    }
  }

  // Step 1b.
  void strip_verb_ending() {
    const string_view word = view();
    if (word.empty()) return;
    size_t ending = 0;
    if (word.back() == 'y') {
      for (const string_view suffix : {string_view("eedly"), string_view("ingly"), string_view("edly")}) {
        if (ending == 0 && word.ends_with(suffix)) ending = suffix.size();
      }
    } else if (word.ends_with("eed") || word.ends_with("ing")) {
      ending = 3;
    } else if (word.ends_with("ed")) {
      ending = 2;
    }
    if (ending == 0) return;
    const size_t kept = size_ - ending;
    const string_view stem = word.substr(0, kept);
    if (word.substr(kept).starts_with("eed")) {
      if (kept >= r1_ && !contains(kNotBeforeEed, stem)) size_ = kept + 2;
      return;
    }
    if (word.substr(kept) == "ing") {
      if (kept == 2 && is_y(1) && !is_vowel(letters_[0])) {
        letters_[1] = 'i';
        letters_[2] = 'e';
        size_ = 3;
        return;
      }
      if (contains(kNotBeforeIng, stem)) return;
    }
    if (!has_vowel_before(kept)) return;
    size_ = kept;
    repair_verb();
  }

  // Gives the stem of a verb back the 'e' it lost to its ending, or takes away the consonant it got.
  void repair_verb() {
    const string_view word = view();
    if (word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz")) {
      letters_[size_++] = 'e';
      return;
    }
    const char last = word.back();
    if (size_ >= 2 && letters_[size_ - 2] == last && is_in(kDoubled, last)) {
      const bool whole = size_ == 3 && (letters_[0] == 'a' || letters_[0] == 'e' || letters_[0] == 'o');
      if (!whole) --size_;
    } else if (r1_ >= size_ && ends_short(size_)) {
      letters_[size_++] = 'e';
    }
  }

  // Steps 2 to 4: replaces the longest suffix that fits if it lies in the region that starts at `region`.
  template <const auto& rules>
  void apply(size_t region) {
    if (size_ < 2 || !contains_pair(kLastLetters<rules>, letters_[size_ - 2], letters_[size_ - 1])) return;
    for (const Rule& rule : rules) {
      if (rule.suffix.back() != letters_[size_ - 1] || !view().ends_with(rule.suffix)) continue;
      const size_t kept = size_ - rule.suffix.size();
      if (kept < region || (rule.needs_r2 && kept < r2_)) return;
      if (rule.before != 0 && (kept == 0 || !is_in(rule.before, letters_[kept - 1]))) return;
      std::memcpy(letters_ + kept, rule.replacement.data(), rule.replacement.size());
      size_ = kept + rule.replacement.size();
      return;
    }
  }

  // Step 5.
  void strip_final_e_or_l() {
    if (size_ == 0) return;
    const size_t kept = size_ - 1;
    const char last = letters_[kept];
    if (last == 'e') {
      if (kept >= r2_ || (kept >= r1_ && !ends_short(kept))) size_ = kept;
    } else if (last == 'l') {
      if (kept >= r2_ && kept > 0 && letters_[kept - 1] == 'l') size_ = kept;
    }
  }

  template <size_t n>
  static bool contains(const std::array<string_view, n>& words, string_view word) {
    for (const string_view candidate : words) {
      if (candidate == word) return true;
    }
    return false;
  }

  char* letters_;
  size_t size_;
  size_t r1_ = 0;
  size_t r2_ = 0;
};

}  // namespace

size_t stem_english(char* word, size_t size) { return Word(word, size).stem(); }

}  // namespace memspan
