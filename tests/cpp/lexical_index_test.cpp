#include "lexical/lexical_index.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "support/allocations.hpp"
#include "support/amount.hpp"
#include "support/body.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(lexical_index)

TokenBuffer tokens_of(const std::vector<std::string>& words) {
  TokenBuffer tokens;
  for (const std::string& word : words) tokens.append(word);
  return tokens;
}

// The records' words, and every figure counted from them anew.
struct Oracle {
  std::map<Slot, std::vector<std::string>> words;
  std::set<Slot> resting;  // that lists may still name

  void check(const LexicalIndex& index, const std::vector<std::string>& vocabulary) const {
    std::map<std::string, std::map<Slot, uint32_t>> postings;
    uint64_t documents = 0;
    uint64_t tokens = 0;
    for (const auto& [slot, list] : words) {
      for (size_t i = 0, end = 0; i < list.size(); i = end) {  // in runs: some repeat one word 200,000 times
        while (end < list.size() && list[end] == list[i]) ++end;
        postings[list[i]][slot] += static_cast<uint32_t>(end - i);
      }
      documents += !list.empty();
      tokens += list.size();
      BOOST_REQUIRE(index.length(slot) == list.size());
    }
    BOOST_REQUIRE(index.documents() == documents);
    BOOST_REQUIRE(index.tokens() == tokens);
    BOOST_REQUIRE(index.terms() == postings.size());
    const std::span<const TermId> terms = index.find_all(tokens_of(vocabulary));
    BOOST_REQUIRE(terms.size() == vocabulary.size());
    for (size_t i = 0; i < terms.size(); ++i) BOOST_REQUIRE(terms[i] == index.find(vocabulary[i]));
    for (const std::string& word : vocabulary) {
      const std::map<Slot, uint32_t>& wanted = postings[word];
      std::map<Slot, uint32_t> found;
      if (const TermId term = index.find(word); term != kNoTerm) {
        BOOST_REQUIRE(index.text(term) == word);
        BOOST_REQUIRE(index.records(term) == wanted.size());
        BOOST_REQUIRE(!index.list(term).empty());
        for (const PostingList* list : {&index.list(term), &index.tail(term)}) {
          Slot next = 0;
          for (size_t i = 0; i < list->blocks(); ++i) {
            for (const Posting& posting : list->block(i)) {
              BOOST_REQUIRE(posting.slot() >= next);
              next = posting.slot() + 1;
              BOOST_REQUIRE(posting.frequency() <= list->max_frequency());
              if (!words.contains(posting.slot())) {
                BOOST_REQUIRE(resting.contains(posting.slot()));
                continue;
              }
              BOOST_REQUIRE(!resting.contains(posting.slot()));
              BOOST_REQUIRE(found.emplace(posting.slot(), index.frequency(term, posting)).second);
              if (posting.has_length()) BOOST_REQUIRE(posting.length() == index.length(posting.slot()));
            }
          }
        }
      }
      BOOST_REQUIRE(found == wanted);
    }
  }
};

struct Saved {
  // Of an index of so many slots: of no more than the live ones need, if that is 0.
  Saved(const LexicalIndex& index, const std::vector<Slot>& live, size_t all = 0) : slots(live.size()) {
    const size_t least = live.empty() ? 0 : size_t{*std::max_element(live.begin(), live.end())} + 1;
    std::vector<Slot> new_slots(std::max(all, least), kNoSlot);
    for (Slot i = 0; i < live.size(); ++i) new_slots[live[i]] = i;
    index.save(head, body, live, new_slots);
  }
  LexicalIndex load() const {
    LexicalIndex loaded;
    ByteReader in(head.bytes(), "file", 0);
    loaded.load(in, body.map(), slots);
    BOOST_REQUIRE(in.left() == 0u);
    return loaded;
  }
  size_t slots;
  ByteWriter head;
  test::BodyBuffer body;
};

// Words of every size, among them neighbours that differ only behind what a term's entry holds itself.
std::vector<std::string> make_vocabulary(size_t size) {
  std::vector<std::string> words;
  for (size_t i = 0; i < size; ++i) words.push_back(std::string(i % 23, 'x') + "w" + std::to_string(i));
  return words;
}

const std::vector<std::string> kVocabulary = make_vocabulary(30);

std::vector<std::string> random_words(std::mt19937& random, const std::vector<std::string>& vocabulary = kVocabulary) {
  std::vector<std::string> words(random() % 12);
  for (std::string& word : words) word = vocabulary[random() % vocabulary.size()];
  return words;
}

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

// A user as large as lists of several blocks need, whose slots are used again and again.
BOOST_AUTO_TEST_CASE(statistics_are_exact_where_slots_are_recycled) {
  std::mt19937 random(4);
  const std::vector<std::string> vocabulary = make_vocabulary(60);
  LexicalIndex index;
  Oracle oracle;
  std::vector<Slot> free;
  Slot next = 0;
  size_t freed = 0;
  int swept_wholes = 0;
  std::unique_ptr<Saved> saved;
  const auto reuse = [&](Slot slot) {
    ++freed;
    BOOST_REQUIRE(oracle.resting.erase(slot) == 1);
    free.push_back(slot);
  };
  for (int step = 0; step < 12'000; ++step) {
    const size_t wanted = step < 4000 || (step >= 7000 && step < 10'000) ? 3000 : 40;
    if (oracle.words.size() < wanted) {
      Slot slot = next;
      if (free.empty()) {
        ++next;
      } else {
        const size_t i = random() % free.size();
        slot = std::exchange(free[i], free.back());
        free.pop_back();
      }
      std::vector<std::string> words = random_words(random, vocabulary);
      if (random() % 4 != 0) words.push_back(vocabulary[random() % 3]);
      index.add(slot, tokens_of(words));
      oracle.words[slot] = words;
    } else {
      auto victim = oracle.words.lower_bound(static_cast<Slot>(random() % next));
      if (victim == oracle.words.end()) victim = oracle.words.begin();
      const Slot slot = victim->first;
      oracle.words.erase(victim);
      const uint32_t how = random() % 4;
      if (how == 0) {
        index.remove(slot);
        free.push_back(slot);
      } else if (how == 1 && step > 2000) {
        index.make_room_to_depart();
        index.depart(slot);
        oracle.resting.insert(slot);
        index.sweep(reuse);
      } else {
        index.remove_for_another(slot);
        const uint32_t what = random() % 4;
        if (what == 0) {
          index.finish_removal();
          free.push_back(slot);
        } else if (what == 1) {  // the next record takes another slot
          oracle.words[next] = random_words(random, vocabulary);
          index.add(next, tokens_of(oracle.words[next]));
          ++next;
          free.push_back(slot);
        } else {  // the same, with all, some or no words
          std::vector<std::string> words = random_words(random, vocabulary);
          if (random() % 8 == 0) words.clear();
          if (random() % 4 != 0) words.push_back(vocabulary[random() % 3]);
          index.add(slot, tokens_of(words));
          oracle.words[slot] = words;
        }
      }
    }
    if (step % 3000 == 2999) {
      while (!index.sweep_all(1000, reuse)) {
      }
      swept_wholes += oracle.resting.empty();
    }
    if (step % 500 == 499) oracle.check(index, vocabulary);
    if (step % 2000 == 1999) {
      std::vector<Slot> live;
      Oracle moved;
      for (const auto& [slot, words] : oracle.words) {
        moved.words[static_cast<Slot>(live.size())] = words;
        live.push_back(slot);
      }
      moved.check(Saved(index, live, next).load(), vocabulary);
      if (step == 7999) {  // as after a compaction
        saved = std::make_unique<Saved>(index, live, next);
        index = saved->load();
        index.check_all();
        oracle = moved;
        free.clear();
        next = static_cast<Slot>(live.size());
      }
    }
  }
  BOOST_TEST(freed > 200u);
  BOOST_TEST(swept_wholes > 0);
  const size_t bytes_of_few = index.bytes();
  while (!oracle.words.empty()) {
    index.remove(oracle.words.begin()->first);
    oracle.words.erase(oracle.words.begin());
  }
  oracle.check(index, vocabulary);
  BOOST_TEST(index.bytes() < bytes_of_few);
}

// Wherever memory ends, the one that leaves is gone afterwards, and nothing is left of the one that did not come.
BOOST_AUTO_TEST_CASE(a_failed_addition_to_a_slot_that_is_left) {
  const std::vector<std::string> old_words = {"camping", "lake", "tent", "tent"};
  const std::vector<std::string> new_words = {"a word that takes memory of its own", "lake", "rain", "tent"};
  std::vector<std::string> vocabulary = old_words;
  vocabulary.insert(vocabulary.end(), new_words.begin(), new_words.end());
  bool failed = true;
  for (long successes = 0; failed; ++successes) {
    LexicalIndex index;
    Oracle oracle;
    for (Slot slot = 0; slot < 200; ++slot) {
      oracle.words[slot] = {"lake", slot % 2 == 0 ? "tent" : "fire"};
      if (slot == 100) oracle.words[slot] = old_words;
      index.add(slot, tokens_of(oracle.words[slot]));
    }
    vocabulary.push_back("fire");
    const TokenBuffer tokens = tokens_of(new_words);
    index.remove_for_another(100);
    oracle.words.erase(100);
    try {
      {
        const test::FailingAllocation failing(successes);
        index.add(100, tokens);
        failed = failing.failed();
      }
      oracle.words[100] = new_words;
    } catch (const std::bad_alloc&) {
      index.finish_removal();
    }
    oracle.check(index, vocabulary);
  }
}

BOOST_AUTO_TEST_CASE(any_frequency_and_length_is_kept) {
  LexicalIndex index;
  Oracle oracle;
  Slot next = 0;
  constexpr size_t kFrequencies[] = {1,    2,    30,     31,     32,     255,    256,    1023,
                                     1024, 2000, 32'766, 32'767, 32'768, 65'535, 65'536, 200'000};
  for (const size_t frequency : kFrequencies) {
    for (const int others : {0, 1, 700, 1100, 70'000}) {
      if (test::kSanitized && frequency > 2000 && others > 1100) continue;  // three million words
      std::vector<std::string> words(frequency, "w0");
      for (int i = 0; i < others; ++i) words.push_back("other" + std::to_string(i % 300));
      index.add(next, tokens_of(words));
      oracle.words[next++] = words;
    }
  }
  const std::vector<std::string> vocabulary = {"w0", "other0", "other1", "other299"};
  oracle.check(index, vocabulary);
  std::vector<Slot> live(next);
  std::iota(live.begin(), live.end(), Slot{0});
  LexicalIndex loaded = Saved(index, live).load();
  oracle.check(loaded, vocabulary);
  for (Slot slot = 0; slot < next; slot += 2) {
    index.remove(slot);
    oracle.words.erase(slot);
  }
  oracle.check(index, vocabulary);
}

BOOST_AUTO_TEST_CASE(replacing_records_for_ever_takes_no_more_memory) {
  std::mt19937 random(5);
  LexicalIndex index;
  const auto fresh_words = [&](Slot slot, int turn) {
    std::vector<std::string> words(5 + random() % 30);
    for (std::string& word : words) word = std::to_string(turn) + "-of-record-" + std::to_string(slot + random() % 9);
    return tokens_of(words);
  };
  constexpr Slot kSlots = 200;
  for (Slot slot = 0; slot < kSlots; ++slot) index.add(slot, fresh_words(slot, 0));
  const size_t bytes_at_first = index.bytes();
  for (int turn = 1; turn < 60; ++turn) {
    for (Slot slot = 0; slot < kSlots; ++slot) {
      index.remove(slot);
      index.add(slot, fresh_words(slot, turn));
    }
  }
  BOOST_TEST(index.bytes() < 2 * bytes_at_first);
}

BOOST_AUTO_TEST_CASE(small_users_cost_little) {
  LexicalIndex index;
  BOOST_TEST(index.bytes() == 0u);
  BOOST_TEST(sizeof(index) <= 320u);
  for (Slot slot = 0; slot < 10; ++slot) index.add(slot, tokens_of({"w1", "w2", "w3", "w" + std::to_string(slot)}));
  BOOST_TEST(index.bytes() < 1500u);
}

BOOST_AUTO_TEST_CASE(the_last_record_takes_its_terms_along) {
  LexicalIndex index;
  index.add(0, tokens_of({"shared", "mine", "mine"}));
  index.add(1, tokens_of({"shared"}));
  index.remove(0);
  BOOST_TEST(index.terms() == 1u);
  BOOST_TEST(index.find("mine") == kNoTerm);
  BOOST_TEST(index.length(0) == 0u);
  index.remove(1);
  BOOST_TEST(index.terms() == 0u);
  BOOST_TEST(index.documents() == 0u);
  BOOST_TEST(index.tokens() == 0u);
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
  loaded_oracle.check(Saved(index, live).load(), kVocabulary);
  std::reverse(live.begin(), live.end());
  Oracle reversed;
  for (Slot slot = 0; slot < live.size(); ++slot) {
    reversed.words[slot] = loaded_oracle.words[static_cast<Slot>(live.size() - 1 - slot)];
  }
  reversed.check(Saved(index, live).load(), kVocabulary);
}

// Lists that lie in a snapshot change like any others, whatever their length.
BOOST_AUTO_TEST_CASE(a_loaded_index_goes_on_like_the_first) {
  std::mt19937 random(4);
  LexicalIndex index;
  Oracle oracle;
  std::vector<std::string> vocabulary = make_vocabulary(400);
  const auto words_of = [&] {
    std::vector<std::string> words = {"everywhere"};
    for (size_t i = 0; i < 3; ++i) words.push_back(vocabulary[std::min(random() % 400, random() % 400)]);
    return words;
  };
  constexpr Slot kSlots = 7000;  // "everywhere" takes several blocks
  for (Slot slot = 0; slot < kSlots; ++slot) {
    oracle.words[slot] = slot % 50 == 7 ? std::vector<std::string>() : words_of();
    index.add(slot, tokens_of(oracle.words[slot]));
  }
  vocabulary.push_back("everywhere");
  Slot slots = kSlots;
  for (int reload = 0; reload < 4; ++reload) {
    // Dead slots have no place in a snapshot.
    std::vector<Slot> live;
    Oracle renumbered;
    for (const auto& [slot, words] : oracle.words) {
      renumbered.words[static_cast<Slot>(live.size())] = words;
      live.push_back(slot);
    }
    oracle = renumbered;
    slots = static_cast<Slot>(live.size());
    index = Saved(index, live).load();
    if (reload % 2 == 0) oracle.check(index, vocabulary);
    for (int step = 0; step < 3000; ++step) {
      const auto slot = static_cast<Slot>(reload == 3 ? step : static_cast<int>(random() % slots));
      const bool there = oracle.words.contains(slot);
      if (there) {
        index.check(slot);
        index.remove(slot);
        oracle.words.erase(slot);
      }
      if (reload == 3 || random() % 3 == 0) continue;
      const Slot target = random() % 4 == 0 ? slots++ : slot;
      oracle.words[target] = words_of();
      index.add(target, tokens_of(oracle.words[target]));
    }
    oracle.check(index, vocabulary);
  }
}

// Damage anywhere in the body is noticed by whatever reads it.
BOOST_AUTO_TEST_CASE(damaged_lists_are_noticed_when_they_are_read) {
  std::mt19937 random(5);
  LexicalIndex index;
  Oracle oracle;
  std::vector<Slot> live;
  for (Slot slot = 0; slot < 60; ++slot) {
    oracle.words[slot] = random_words(random);
    index.add(slot, tokens_of(oracle.words[slot]));
    live.push_back(slot);
  }
  const Saved sound(index, live);
  for (int round = 0; round < 500; ++round) {
    Saved damaged = sound;
    std::string& bytes = damaged.body.bytes();
    const size_t place = random() % bytes.size();
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8)));
    const LexicalIndex loaded = damaged.load();  // reads nothing of it
    const bool in_padding = [&] {
      try {
        loaded.check_all();
        return true;
      } catch (const CorruptSnapshot&) {
        return false;
      }
    }();
    if (in_padding) oracle.check(loaded, kVocabulary);  // between the two pieces of the body
    size_t refused = 0;
    for (const std::string& word : kVocabulary) {
      const TermId term = loaded.find(word);
      if (term == kNoTerm) continue;
      try {
        loaded.list(term);
      } catch (const CorruptSnapshot&) {
        ++refused;
      }
    }
    BOOST_TEST(refused <= 1u);
    for (Slot slot = 0; slot < 60 && refused == 0 && !in_padding; ++slot) {
      if (!oracle.words[slot].empty()) BOOST_CHECK_THROW(loaded.check(slot), CorruptSnapshot);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
