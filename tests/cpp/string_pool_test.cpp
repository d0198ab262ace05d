#include "base/string_pool.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(string_pool)

BOOST_AUTO_TEST_CASE(equal_texts_share_a_symbol) {
  StringPool pool;
  const auto first = pool.acquire("session-1");
  BOOST_TEST(pool.acquire("session-1") == first);
  BOOST_TEST(pool.acquire("session-2") != first);
  BOOST_TEST(pool.text(first) == "session-1");
  BOOST_TEST(pool.size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_empty_text_is_no_symbol) {
  StringPool pool;
  BOOST_TEST(pool.acquire("") == StringPool::kNone);
  BOOST_TEST(pool.text(StringPool::kNone) == "");
  pool.release(StringPool::kNone);
  BOOST_TEST(pool.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_text_lives_as_long_as_its_references) {
  StringPool pool;
  std::mt19937 random(1);
  std::map<std::string, std::vector<StringPool::Symbol>> held;
  for (int step = 0; step < 5000; ++step) {
    const std::string text = "text " + std::to_string(random() % 20);
    std::vector<StringPool::Symbol>& symbols = held[text];
    if (symbols.empty() || random() % 2 == 0) {
      symbols.push_back(pool.acquire(text));
      BOOST_REQUIRE(symbols.back() == symbols.front());
    } else {
      pool.release(symbols.back());
      symbols.pop_back();
    }
    size_t alive = 0;
    for (const auto& [name, references] : held) {
      if (references.empty()) continue;
      ++alive;
      BOOST_REQUIRE(pool.text(references.front()) == name);
    }
    BOOST_REQUIRE(pool.size() == alive);
  }
}

BOOST_AUTO_TEST_CASE(freed_symbols_are_used_again) {
  StringPool pool;
  for (int round = 0; round < 100; ++round) {
    const auto symbol = pool.acquire("round " + std::to_string(round));
    BOOST_TEST(symbol == 0u);
    pool.release(symbol);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
