#include "base/text_arena.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <string>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(text_arena)

std::string random_text(std::mt19937& random, size_t longest) {
  std::string text(random() % (longest + 1), 'x');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

BOOST_AUTO_TEST_CASE(texts_stay_while_others_come_and_go) {
  std::mt19937 random(1);
  TextArena arena;
  std::map<TextArena::Ref, std::string> oracle;
  for (int step = 0; step < 40000; ++step) {
    if (oracle.empty() || random() % 2 == 0) {
      const std::string text = random_text(random, step % 3 == 0 ? TextArena::kMaxBytes : 40);
      const TextArena::Ref place = arena.add(text);
      BOOST_REQUIRE(oracle.emplace(place, text).second);
    } else {
      auto victim = oracle.lower_bound(static_cast<TextArena::Ref>(random() % 20000));
      if (victim == oracle.end()) victim = oracle.begin();
      arena.remove(victim->first);
      oracle.erase(victim);
    }
    if (step % 1000 == 0) {
      for (const auto& [place, text] : oracle) BOOST_REQUIRE(arena.text(place) == text);
    }
  }
}

BOOST_AUTO_TEST_CASE(churn_takes_no_more_memory) {
  std::mt19937 random(1);
  TextArena arena;
  std::vector<TextArena::Ref> places;
  for (int i = 0; i < 5000; ++i) places.push_back(arena.add(random_text(random, 60)));
  const size_t before = arena.bytes();
  for (int step = 0; step < 100000; ++step) {
    TextArena::Ref& place = places[random() % places.size()];
    arena.remove(place);
    place = arena.add(random_text(random, 60));
  }
  BOOST_TEST(arena.bytes() < before * 5 / 4);
}

BOOST_AUTO_TEST_CASE(a_removed_text_is_erased) {
  TextArena arena;
  const TextArena::Ref place = arena.add("a secret of some length");
  const std::string_view text = arena.text(place);
  arena.remove(place);
  BOOST_TEST(std::string_view(text.data() + 2, text.size() - 2).find_first_not_of('\0') == std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(little_lies_idle) {
  constexpr size_t kText = 14;  // takes 16 bytes
  TextArena arena;
  std::vector<TextArena::Ref> places;
  for (size_t count = 1; count <= 5'000; ++count) {
    places.push_back(arena.add(std::string(kText, static_cast<char>('a' + count % 26))));
    const size_t needed = count * (kText + sizeof(uint16_t));
    if (count >= 192) BOOST_REQUIRE(arena.bytes() <= needed + needed / 8 + 128);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    BOOST_REQUIRE(arena.text(places[i]) == std::string(kText, static_cast<char>('a' + (i + 1) % 26)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
