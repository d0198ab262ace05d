#include "lexical/near_words.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "lexical/utf8.hpp"

namespace memspan {
namespace {

constexpr size_t kShortest = 5;
constexpr size_t kShortestWithTwo = 9;
constexpr size_t kLongestWithTwo = 14;

std::u32string decode(std::string_view text) {
  std::u32string letters;
  const char* at = text.data();
  for (const char* const end = at + text.size(); at < end;) {
    const DecodedChar decoded = decode_utf8(at, end);
    letters.push_back(decoded.code_point);
    at += decoded.size;
  }
  return letters;
}

// Latin letters, and most of those of another script, have a bit of their own.
uint64_t set_of(std::u32string_view letters) {
  uint64_t set = 0;
  for (const char32_t letter : letters) set |= uint64_t{1} << ((letter & 31) | (letter & 64) / 2);
  return set;
}

}  // namespace

uint32_t NearWords::errors_allowed(size_t letters) {
  if (letters < kShortest || letters > kLongest) return 0;
  return letters >= kShortestWithTwo && letters <= kLongestWithTwo ? 2 : 1;
}

uint32_t typing_errors(std::u32string_view one, std::u32string_view other, uint32_t most) {
  const size_t width = other.size() + 1;
  if (std::max(one.size(), other.size()) - std::min(one.size(), other.size()) > most) return most + 1;
  std::vector<uint32_t> rows(3 * width);
  uint32_t* before = rows.data();
  uint32_t* last = before + width;
  uint32_t* row = last + width;
  std::iota(row, row + width, 0u);
  for (size_t i = 1; i <= one.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<uint32_t>(i);
    for (size_t j = 1; j < width; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] == other[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    if (*std::min_element(row, row + width) > most) return most + 1;
  }
  return std::min(row[width - 1], most + 1);
}

NearWords::NearWords(std::span<const std::string_view> words) {
  std::array<std::vector<uint32_t>, kLongest + 1> by_length;
  std::vector<Place> places;
  for (const std::string_view word : words) {
    const std::u32string letters = decode(word);
    if (errors_allowed(letters.size()) == 0) continue;
    by_length[letters.size()].push_back(static_cast<uint32_t>(places.size()));
    places.push_back({static_cast<uint32_t>(letters_.size()), static_cast<uint32_t>(texts_.size())});
    letters_ += letters;
    texts_.emplace_back(word);
  }
  for (size_t length = 0; length <= kLongest; ++length) {
    for (const uint32_t at : by_length[length]) {
      sets_.push_back(set_of(std::u32string_view(letters_).substr(places[at].letters, length)));
      places_.push_back(places[at]);
    }
    of_length_[length + 1] = static_cast<uint32_t>(places_.size());
  }
}

std::vector<std::pair<uint32_t, std::string_view>> NearWords::near(std::string_view word) const {
  std::vector<std::pair<uint32_t, std::string_view>> found;
  if (word.size() > 4 * kLongest) return found;
  const std::u32string letters = decode(word);
  const uint32_t allowed = errors_allowed(letters.size());
  if (allowed == 0) return found;
  const uint64_t set = set_of(letters);
  for (size_t length = letters.size() - allowed; length <= std::min(letters.size() + allowed, kLongest); ++length) {
    const uint32_t most = std::min(allowed, errors_allowed(length));
    // One error takes a letter out of the set and puts one in at most.
    const int differences = 2 * static_cast<int>(most);
    for (uint32_t i = of_length_[length]; i < of_length_[length + 1]; ++i) {
      if (std::popcount(sets_[i] ^ set) > differences) continue;
      const std::u32string_view other = std::u32string_view(letters_).substr(places_[i].letters, length);
      if (const uint32_t errors = typing_errors(letters, other, most); errors <= most) found.emplace_back(errors, texts_[places_[i].text]);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace memspan
