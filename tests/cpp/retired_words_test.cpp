#include "lexical/retired_words.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(retired_words)

TokenBuffer buffer(const std::vector<std::string>& words) {
  TokenBuffer tokens;
  for (const std::string& word : words) tokens.append(word);
  return tokens;
}

BOOST_AUTO_TEST_CASE(statistics_leave_out_what_is_retired) {
  LexicalIndex lexical;
  RetiredWords retired;
  lexical.add(0, buffer({"tea", "tea", "green"}));
  lexical.add(1, buffer({"tea", "black"}));
  lexical.add(2, buffer({}));
  retired.add(lexical, 1);
  retired.add(lexical, 2);  // without words
  const WordStatistics believed(lexical, &retired);
  const WordStatistics all(lexical, nullptr);
  BOOST_TEST(believed.documents() == 1u);
  BOOST_TEST(believed.tokens() == 3u);
  BOOST_TEST(believed.records(lexical.find("tea")) == 1u);
  BOOST_TEST(believed.records(lexical.find("black")) == 0u);
  BOOST_TEST(believed.records(lexical.find("green")) == 1u);
  BOOST_TEST(all.documents() == 2u);
  BOOST_TEST(all.tokens() == 5u);
  BOOST_TEST(all.records(lexical.find("tea")) == 2u);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_once_no_record_is_retired) {
  LexicalIndex lexical;
  RetiredWords retired;
  lexical.add(0, buffer({"tea"}));
  BOOST_TEST(retired.empty());
  retired.add(lexical, 0);
  BOOST_TEST(!retired.empty());
  BOOST_TEST(retired.bytes() > 0u);
  retired.remove(lexical, 0);
  BOOST_TEST(retired.empty());
  BOOST_TEST(retired.bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(random_changes_equal_a_count) {
  std::mt19937 random(5);
  LexicalIndex lexical;
  RetiredWords retired;
  std::map<Slot, std::pair<std::vector<std::string>, bool>> records;
  constexpr Slot kSlots = 60;
  for (Slot slot = 0; slot < kSlots; ++slot) lexical.add(slot, buffer({}));
  for (int step = 0; step < 3000; ++step) {
    const auto slot = static_cast<Slot>(random() % kSlots);
    if (const auto found = records.find(slot); found != records.end()) {
      if (found->second.second) retired.remove(lexical, slot);
      lexical.remove(slot);
      records.erase(found);
    } else {
      std::vector<std::string> words;
      for (size_t i = random() % 5; i > 0; --i) words.push_back("w" + std::to_string(random() % 30));
      const bool is_retired = random() % 2 == 0;
      lexical.add(slot, buffer(words));
      if (is_retired) retired.add(lexical, slot);
      records[slot] = {words, is_retired};
    }
    const WordStatistics statistics(lexical, &retired);
    uint64_t documents = 0;
    uint64_t tokens = 0;
    std::map<std::string, size_t> counts;
    for (const auto& [at, record] : records) {
      if (record.second || record.first.empty()) continue;
      ++documents;
      tokens += record.first.size();
      for (const std::string& word : std::set(record.first.begin(), record.first.end())) ++counts[word];
    }
    BOOST_TEST(statistics.documents() == documents);
    BOOST_TEST(statistics.tokens() == tokens);
    for (int word = 0; word < 30; ++word) {
      const std::string text = "w" + std::to_string(word);
      const TermId term = lexical.find(text);
      BOOST_TEST((term == kNoTerm ? 0 : statistics.records(term)) == counts[text]);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
