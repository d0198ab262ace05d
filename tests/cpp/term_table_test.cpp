#include "lexical/term_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(term_table)

std::string random_text(std::mt19937& random) {
  std::string text(1 + random() % (random() % 8 == 0 ? 128 : 13), '\0');
  for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 3);
  return text;
}

BOOST_AUTO_TEST_CASE(equals_a_map_under_random_changes) {
  std::mt19937 random(1);
  TermTable table;
  std::map<std::string, TermId> terms;
  for (int step = 0; step < 60'000; ++step) {
    const bool growing = (step / 15'000) % 2 == 0;
    if (terms.empty() || random() % 4 < (growing ? 3u : 1u)) {
      const std::string text = random_text(random);
      const auto known = terms.find(text);
      const TermId term = table.find_or_create(text);
      if (known != terms.end()) BOOST_REQUIRE(term == known->second);
      terms[text] = term;
    } else {
      auto victim = terms.lower_bound(random_text(random));
      if (victim == terms.end()) victim = terms.begin();
      table.erase(victim->second);
      terms.erase(victim);
    }
    BOOST_REQUIRE(table.size() == terms.size());
    if (step % 3000 != 0) continue;
    std::map<TermId, std::string> texts;
    for (const auto& [text, term] : terms) {
      BOOST_REQUIRE(table.find(text) == term);
      BOOST_REQUIRE(table.text(term) == text);
      BOOST_REQUIRE(table.contains(term));
      BOOST_REQUIRE(texts.emplace(term, text).second);
    }
    for (int i = 0; i < 100; ++i) {
      const std::string text = random_text(random);
      if (!terms.contains(text)) BOOST_REQUIRE(table.find(text) == kNoTerm);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_are_given_again) {
  TermTable table;
  const TermId first = table.find_or_create("first");
  const TermId second = table.find_or_create("second");
  table.erase(first);
  BOOST_TEST(table.find("first") == kNoTerm);
  BOOST_TEST(!table.contains(first));
  BOOST_TEST(table.find_or_create("third") == first);
  BOOST_TEST(table.find("second") == second);
  BOOST_TEST(table.numbers() == 2u);
}

BOOST_AUTO_TEST_CASE(texts_that_go_leave_no_memory_behind) {
  TermTable table;
  for (int i = 0; i < 20'000; ++i) table.erase(table.find_or_create("a text of some length " + std::to_string(i)));
  BOOST_TEST(table.size() == 0u);
  BOOST_TEST(table.bytes() < 20'000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
