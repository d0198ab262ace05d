#include "query/term_cursor.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

#include "query/query_terms.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(term_cursor)

constexpr size_t kRecords = 20'000;
constexpr size_t kWords = 6;

// Word number w is in one of 4^w records, once or many times, in texts of any length.
struct Fixture {
  LexicalIndex lexical;
  IndexConfig config{.dim = 1, .analyzer = AnalyzerKind::simple};
  QueryTerms terms;
  std::mt19937 random{3};

  Fixture() {
    TokenBuffer tokens;
    for (Slot slot = 0; slot < kRecords; ++slot) {
      tokens.clear();
      for (size_t word = 0, share = 1; word < kWords; ++word, share *= 4) {
        if (random() % share != 0 || (word == 0 && slot % 7 == 0)) continue;
        const size_t times = random() % 50 == 0 ? 1 + random() % 40 : 1;
        for (size_t i = 0; i < times; ++i) tokens.append("w" + std::to_string(word));
      }
      const size_t fillers = random() % 100 == 0 ? 2000 : random() % 20;
      for (size_t i = 0; i < fillers; ++i) tokens.append("filler");
      lexical.add(slot, tokens);
    }
    tokens.clear();
    for (size_t word = 0; word < kWords; ++word) tokens.append("w" + std::to_string(word));
    terms.find(WordStatistics(lexical, nullptr), tokens, config);
  }

  // What a cursor adds to each of some ascending slots.
  template <typename Part>
  std::vector<float> parts(TermCursor cursor, const std::set<Slot>& slots, Part part) {
    std::vector<float> found;
    if (!slots.empty()) cursor.seek(*slots.begin());
    for (const Slot slot : slots) found.push_back(part(cursor, slot));
    return found;
  }
};

BOOST_FIXTURE_TEST_CASE(all_ways_to_read_give_the_same_parts, Fixture) {
  BOOST_REQUIRE(terms.cursors.size() == kWords);
  for (int round = 0; round < 200; ++round) {
    std::set<Slot> slots;
    if (round % 4 == 0) {  // clusters, as of neighbours in sessions
      for (size_t i = 1 + random() % 100; i > 0; --i) {
        const auto first = static_cast<Slot>(random() % kRecords);
        for (Slot slot = first; slot < std::min<size_t>(first + 5, kRecords); ++slot) slots.insert(slot);
      }
    } else {
      for (size_t i = random() % 400; i > 0; --i) slots.insert(static_cast<Slot>(random() % kRecords));
    }
    if (round % 5 == 0) slots.insert({0, kRecords - 1});
    for (const TermCursor& term : terms.cursors) {
      const std::vector<float> near = parts(term, slots, [&](TermCursor& cursor, Slot slot) {
        return cursor.part_at(slot, lexical, terms.bm25);
      });
      const std::vector<float> one = parts(term, slots, [&](TermCursor& cursor, Slot slot) {
        float score = 0.0f;
        cursor.add_one(score, slot, lexical, terms.bm25);
        return score;
      });
      // Every posting in turn.
      const std::vector<float> all = parts(term, slots, [&](TermCursor& cursor, Slot slot) {
        float score = 0.0f;
        while (!cursor.done() && cursor.slot() < slot) cursor.read_to(cursor.slot(), [](Slot) {});
        cursor.add_to(&score, slot, slot, lexical, terms.bm25);
        return score;
      });
      BOOST_REQUIRE(near == one);
      BOOST_REQUIRE(near == all);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(behind_the_last_posting_there_is_nothing, Fixture) {
  for (TermCursor term : terms.cursors) {
    term.seek(0);
    BOOST_TEST(term.part_at(kRecords + 5, lexical, terms.bm25) == 0.0f);
    BOOST_TEST(term.done());
    BOOST_TEST(term.part_at(kRecords + 6, lexical, terms.bm25) == 0.0f);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
