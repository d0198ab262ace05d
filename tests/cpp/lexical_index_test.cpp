#include "lexical/lexical_index.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

namespace memspan {
namespace {

TokenBuffer tokens_of(const std::vector<std::string>& words) {
  TokenBuffer tokens;
  for (const std::string& word : words) tokens.append(word);
  return tokens;
}

// The records' words, and every figure counted from them anew.
struct Oracle {
  std::map<Slot, std::vector<std::string>> words;

  void check(const LexicalIndex& index, size_t vocabulary) const {
    std::map<std::string, std::map<Slot, uint32_t>> postings;
    uint64_t documents = 0;
    uint64_t tokens = 0;
    for (const auto& [slot, list] : words) {
      for (const std::string& word : list) ++postings[word][slot];
      documents += !list.empty();
      tokens += list.size();
      BOOST_REQUIRE(index.length(slot) == list.size());
    }
    BOOST_REQUIRE(index.documents() == documents);
    BOOST_REQUIRE(index.tokens() == tokens);
    BOOST_REQUIRE(index.terms() == postings.size());
    for (size_t i = 0; i < vocabulary; ++i) {
      const std::string word = "w" + std::to_string(i);
      const std::map<Slot, uint32_t>& wanted = postings[word];
      const std::span<const Posting> found = index.postings(word);
      BOOST_REQUIRE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                               [](const Posting& posting, const auto& entry) {
                                 return posting.slot == entry.first && posting.frequency == entry.second;
                               }));
    }
  }
};

constexpr size_t kVocabulary = 30;

std::vector<std::string> random_words(std::mt19937& random) {
  std::vector<std::string> words(random() % 12);
  for (std::string& word : words) word = "w" + std::to_string(random() % kVocabulary);
  return words;
}

BOOST_AUTO_TEST_SUITE(lexical_index)

BOOST_AUTO_TEST_CASE(statistics_are_exact_under_random_changes) {
  std::mt19937 random(1);
  LexicalIndex index;
  Oracle oracle;
  Slot next = 0;
  for (int step = 0; step < 2000; ++step) {
    if (oracle.words.size() < 5 || random() % 2 == 0) {
      const std::vector<std::string> words = random_words(random);
      index.add(next, tokens_of(words));
      oracle.words[next++] = words;
    } else {
      auto victim = oracle.words.begin();
      std::advance(victim, static_cast<std::ptrdiff_t>(random() % oracle.words.size()));
      index.remove(victim->first);
      oracle.words.erase(victim);
    }
    if (step % 25 == 0) oracle.check(index, kVocabulary);
  }
  oracle.check(index, kVocabulary);
}

BOOST_AUTO_TEST_CASE(the_last_record_takes_its_terms_along) {
  LexicalIndex index;
  index.add(0, tokens_of({"shared", "mine", "mine"}));
  index.add(1, tokens_of({"shared"}));
  index.remove(0);
  BOOST_TEST(index.terms() == 1u);
  BOOST_TEST(index.postings("mine").empty());
  BOOST_TEST(index.length(0) == 0u);
  index.remove(1);
  BOOST_TEST(index.terms() == 0u);
  BOOST_TEST(index.documents() == 0u);
  BOOST_TEST(index.tokens() == 0u);
}

BOOST_AUTO_TEST_CASE(remap_after_removals_keeps_everything) {
  std::mt19937 random(2);
  LexicalIndex index;
  Oracle oracle;
  constexpr Slot kSlots = 60;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    oracle.words[slot] = random_words(random);
    index.add(slot, tokens_of(oracle.words[slot]));
  }
  std::vector<Slot> new_slots(kSlots, kNoSlot);
  Oracle moved;
  Slot next = 0;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    if (random() % 2 == 0) {
      index.remove(slot);
    } else {
      moved.words[next] = oracle.words[slot];
      new_slots[slot] = next++;
    }
  }
  index.remap(new_slots, next);
  moved.check(index, kVocabulary);
  index.add(next, tokens_of({"w1", "w1"}));
  moved.words[next] = {"w1", "w1"};
  moved.check(index, kVocabulary);
}

BOOST_AUTO_TEST_CASE(saved_and_loaded_it_is_the_same) {
  std::mt19937 random(3);
  LexicalIndex index;
  Oracle loaded_oracle;
  std::vector<Slot> live;
  for (Slot slot = 0; slot < 50; ++slot) {
    const std::vector<std::string> words = random_words(random);
    index.add(slot, tokens_of(words));
    if (slot % 3 == 0) {
      index.remove(slot);
    } else {
      loaded_oracle.words[static_cast<Slot>(live.size())] = words;
      live.push_back(slot);
    }
  }
  ByteWriter out;
  index.save(out, live);
  LexicalIndex loaded;
  ByteReader in(out.bytes(), "file", 0);
  loaded.load(in, live.size());
  BOOST_TEST(in.left() == 0u);
  loaded_oracle.check(loaded, kVocabulary);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
