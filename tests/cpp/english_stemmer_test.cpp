#include "lexical/english_stemmer.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <utility>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(english_stemmer)

std::string stem(std::string word) {
  word.resize(stem_english(word.data(), word.size()));
  return word;
}

using Pairs = std::initializer_list<std::pair<const char*, const char*>>;

void check_stems(Pairs pairs) {
  for (const auto& [word, expected] : pairs) BOOST_TEST(stem(word) == expected);
}

// Words and stems that the published description of the algorithm gives as examples.
BOOST_AUTO_TEST_CASE(published_examples) {
  check_stems({{"consign", "consign"},   {"consigned", "consign"},    {"consistency", "consist"},
               {"consolations", "consol"}, {"consolidating", "consolid"}, {"conspicuously", "conspicu"},
               {"conspirators", "conspir"}, {"constancy", "constanc"}, {"knackeries", "knackeri"},
               {"kneeling", "kneel"},    {"knitted", "knit"},         {"knives", "knive"},
               {"knightly", "knight"},   {"ties", "tie"},             {"cries", "cri"},
               {"gas", "gas"},           {"this", "this"},            {"gaps", "gap"},
               {"kiwis", "kiwi"},        {"luxuriated", "luxuri"},    {"hopping", "hop"},
               {"hoping", "hope"},       {"cry", "cri"},              {"by", "by"},
               {"say", "say"},           {"added", "add"},            {"egged", "egg"}});
}

BOOST_AUTO_TEST_CASE(exceptions) {
  check_stems({{"skis", "ski"},       {"skies", "sky"},        {"sky", "sky"},         {"dying", "die"},
               {"dyings", "die"},     {"lying", "lie"},        {"idly", "idl"},        {"gently", "gentl"},
               {"ugly", "ugli"},      {"early", "earli"},      {"only", "onli"},       {"singly", "singl"},
               {"news", "news"},      {"howe", "howe"},        {"atlas", "atlas"},     {"cosmos", "cosmos"},
               {"bias", "bias"},      {"andes", "andes"},      {"inning", "inning"},   {"outings", "outing"},
               {"herring", "herring"}, {"evening", "evening"}, {"proceed", "proceed"}, {"exceeds", "exceed"},
               {"succeeded", "succeed"}, {"generate", "generat"}, {"generic", "generic"}, {"general", "general"},
               {"communion", "communion"}, {"arsenic", "arsenic"}, {"past", "past"}, {"pasted", "paste"},
               {"university", "universiti"}, {"universe", "univers"}, {"laterally", "lateral"}, {"later", "later"}});
}

BOOST_AUTO_TEST_CASE(short_words_stay) {
  check_stems({{"", ""}, {"a", "a"}, {"s", "s"}, {"as", "as"}, {"yy", "yy"}, {"ed", "ed"}});
}

// Stemming writes inside the word only, and leaves letters.
BOOST_AUTO_TEST_CASE(any_letters_are_safe) {
  std::mt19937 random(11);
  const std::string letters = "aeiouyybdgilnstwxcmr";
  const std::string endings[] = {"ing", "ed", "eed", "ational", "ization", "li", "ement", "ogi",
                                 "ies", "y", "sses", "e"};
  for (int round = 0; round < 100000; ++round) {
    std::string word;
    const size_t size = random() % 8;
    for (size_t i = 0; i < size; ++i) word += letters[random() % letters.size()];
    while (random() % 2 == 0) word += endings[random() % std::size(endings)];
    const std::string stemmed = stem(word);
    BOOST_REQUIRE(stemmed.size() <= word.size());
    BOOST_REQUIRE(stemmed.empty() == word.empty());
    for (const char c : stemmed) BOOST_REQUIRE((c >= 'a' && c <= 'z'));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
