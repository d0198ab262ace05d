// Words within a few typing errors of another one, out of a fixed list.
//
// An error is a letter left out, put in or replaced, or two neighbours exchanged (optimal string alignment). Short words may
// have none, since every other short word would be near. A search passes the words that are about as long, and compares
// letter by letter those alone whose sets of letters, kept as 64 bits, differ by no more than the errors can make: 3 to 9
// nanoseconds a word of such a length. What is left of words without a letter or two, sorted, needs no pass, but has up to
// 106 forms a word: of 10,000 words of 7 and 11 letters it took 120 and 860 ms to make instead of 3, with every new tag, and
// searches, in Python, as long or three times as long.
//
// Thread safety: immutable. Memory: 16 bytes a word, 4 a letter, and the words.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memspan {

class NearWords {
 public:
  // Of words in UTF-8; bytes that are none stand for one letter.
  explicit NearWords(std::span<const std::string_view> words);

  // The distinct words within the errors that both lengths allow, each after its distance, the nearest first, equal ones by
  // name. O(words).
  std::vector<std::pair<uint32_t, std::string_view>> near(std::string_view word) const;

  // How many errors a word of so many letters may have: none below 5, two from 9 to 14, one otherwise up to 40.
  static uint32_t errors_allowed(size_t letters);

 private:
  static constexpr size_t kLongest = 40;

  struct Place {
    uint32_t letters;  // where they begin in letters_
    uint32_t text;     // number of the word in texts_
  };

  std::array<uint32_t, kLongest + 2> of_length_ = {};  // where the words of a length begin, in the two after this
  std::vector<uint64_t> sets_;                         // of letters
  std::vector<Place> places_;
  std::u32string letters_;
  std::vector<std::string> texts_;
};

// At most most + 1, which stands for any distance beyond.
uint32_t typing_errors(std::u32string_view one, std::u32string_view other, uint32_t most);

}  // namespace memspan
