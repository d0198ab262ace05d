#include "lexical/near_words.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(near_words)

using Found = std::vector<std::pair<uint32_t, std::string_view>>;

Found near(std::vector<std::string_view> words, std::string_view word) {
  static std::vector<NearWords> kept;  // the answers look into them
  kept.reserve(16);
  return kept.emplace_back(words).near(word);
}

BOOST_AUTO_TEST_CASE(errors_are_counted_up_to_the_most) {
  const auto errors = [](std::u32string_view one, std::u32string_view other, uint32_t most = 9) { return typing_errors(one, other, most); };
  BOOST_TEST(errors(U"", U"") == 0u);
  BOOST_TEST(errors(U"boat", U"boat") == 0u);
  BOOST_TEST(errors(U"boat", U"bat") == 1u);
  BOOST_TEST(errors(U"boat", U"goat") == 1u);
  BOOST_TEST(errors(U"boat", U"baot") == 1u);
  BOOST_TEST(errors(U"ca", U"abc") == 3u);  // what is exchanged is not touched again
  BOOST_TEST(errors(U"", U"boat") == 4u);
  BOOST_TEST(errors(U"", U"boat", 2) == 3u);
  BOOST_TEST(errors(U"abcd", U"efgh", 2) == 3u);
  BOOST_TEST(errors(U"abcd", U"efgh", 0) == 1u);
}

BOOST_AUTO_TEST_CASE(the_nearest_come_first) {
  BOOST_TEST((near({"caroline", "carolina", "karolina", "caroline"}, "carolina") ==
              Found{{0, "carolina"}, {1, "caroline"}, {1, "karolina"}}));
  BOOST_TEST((near({"whispering", "whisperingly"}, "wispring") == Found{}));  // of 8 letters one only
  BOOST_TEST((near({"whispering", "whisperingly"}, "wispringy") == Found{}));
  BOOST_TEST((near({"whispering"}, "wisperng1") == Found{}));
  BOOST_TEST((near({"whispering"}, "wispering") == Found{{1, "whispering"}}));
  BOOST_TEST((near({"whispering"}, "whsipernig") == Found{{2, "whispering"}}));
}

BOOST_AUTO_TEST_CASE(letters_are_code_points) {
  BOOST_TEST((near({"мария"}, "марія") == Found{{1, "мария"}}));
  BOOST_TEST((near({"田中田中田"}, "田中田中中") == Found{{1, "田中田中田"}}));
  BOOST_TEST((near({"田中"}, "田田") == Found{}));
  BOOST_TEST((near({"mar\xff\xff"}, "mar\xff\xff") == Found{{0, "mar\xff\xff"}}));
}

BOOST_AUTO_TEST_CASE(every_length_up_to_the_longest) {
  for (size_t length = 0; length <= 43; ++length) {
    const std::string word(length, 'x');
    const bool any = NearWords::errors_allowed(length) > 0;
    const std::vector<std::string_view> words = {word};
    BOOST_TEST(NearWords(words).near(word).size() == (any ? 1u : 0u));
    const std::string shorter = word.substr(0, length - (length > 0));
    BOOST_TEST(NearWords(words).near(shorter).size() == (any && NearWords::errors_allowed(length - 1) > 0 ? 1u : 0u));
  }
}

BOOST_AUTO_TEST_CASE(as_all_compared) {
  std::mt19937 random(1);
  const auto draw = [&] {
    std::string word(4 + random() % 14, ' ');
    for (char& letter : word) letter = "abcp0"[random() % 5];
    return word;
  };
  std::vector<std::string> texts(300);
  std::generate(texts.begin(), texts.end(), draw);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const NearWords words(views);
  size_t total = 0;
  for (int round = 0; round < 300; ++round) {
    std::string word = round % 3 == 0 ? draw() : texts[random() % texts.size()];
    if (round % 3 == 1) std::swap(word[0], word[1]);
    if (round % 3 == 2) word[random() % word.size()] = 'c';
    Found expected;
    for (const std::string_view other : views) {
      const uint32_t most = std::min(NearWords::errors_allowed(word.size()), NearWords::errors_allowed(other.size()));
      const uint32_t errors = typing_errors(std::u32string(word.begin(), word.end()), std::u32string(other.begin(), other.end()), most);
      if (most > 0 && errors <= most) expected.emplace_back(errors, other);
    }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    BOOST_TEST((words.near(word) == expected));
    total += expected.size();
  }
  BOOST_TEST(total > 150u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
