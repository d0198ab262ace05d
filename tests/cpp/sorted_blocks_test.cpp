#include "base/sorted_blocks.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <iterator>
#include <numeric>
#include <random>
#include <set>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(sorted_blocks)

using Blocks = SortedBlocks<uint32_t>;

void check(const Blocks& blocks, const std::set<uint32_t>& oracle) {
  BOOST_REQUIRE(blocks.size() == oracle.size());
  BOOST_REQUIRE(std::equal(blocks.begin(), blocks.end(), oracle.begin(), oracle.end()));
  BOOST_REQUIRE(std::equal(std::make_reverse_iterator(blocks.end()), std::make_reverse_iterator(blocks.begin()),
                           oracle.rbegin(), oracle.rend()));
  size_t total = 0;
  for (const Blocks::Block& block : blocks.blocks()) {
    BOOST_REQUIRE((block.count > 0 || oracle.empty()));
    total += block.span().size();
  }
  BOOST_REQUIRE(total == oracle.size());
  // The pieces of a part are what lies between its ends.
  const auto first = blocks.lower_bound(static_cast<uint32_t>(total / 3), std::less<>());
  const auto last = blocks.lower_bound(static_cast<uint32_t>(2 * total), std::less<>());
  std::vector<uint32_t> joined;
  Blocks::for_each_piece(first, last, [&](std::span<const uint32_t> piece) {
    BOOST_REQUIRE(!piece.empty());
    joined.insert(joined.end(), piece.begin(), piece.end());
  });
  BOOST_REQUIRE(std::equal(first, last, joined.begin(), joined.end()));
  if (!oracle.empty()) {
    BOOST_REQUIRE(blocks.front() == *oracle.begin());
    BOOST_REQUIRE(blocks.back() == *oracle.rbegin());
  }
}

// Grows to many blocks, shrinks to nothing and grows again, with `range` possible values.
void churn(uint32_t range, int steps, uint32_t seed) {
  std::mt19937 random(seed);
  Blocks blocks;
  std::set<uint32_t> oracle;
  for (int step = 0; step < steps; ++step) {
    const bool growing = step / (steps / 4) % 2 == 0;
    const auto value = static_cast<uint32_t>(random() % range);
    if (random() % 10 < (growing ? 9u : 1u)) {
      if (oracle.insert(value).second) blocks.insert(value, std::less<>());
    } else if (!oracle.empty()) {
      auto victim = oracle.lower_bound(value);
      if (victim == oracle.end()) victim = oracle.begin();
      BOOST_REQUIRE(blocks.erase(*victim, std::less<>()));
      oracle.erase(victim);
    }
    if (const auto absent = static_cast<uint32_t>(random() % range); !oracle.contains(absent)) {
      BOOST_REQUIRE(!blocks.erase(absent, std::less<>()));
    }
    const auto found = blocks.lower_bound(value, std::less<>());
    const auto wanted = oracle.lower_bound(value);
    BOOST_REQUIRE((found == blocks.end()) == (wanted == oracle.end()));
    if (wanted != oracle.end()) BOOST_REQUIRE(*found == *wanted);
    const auto other = static_cast<uint32_t>(random() % range);
    const auto both = blocks.partition_points([=](uint32_t element) { return element < value; },
                                              [=](uint32_t element) { return element < other; });
    BOOST_REQUIRE(both.first == found);
    BOOST_REQUIRE(both.second == blocks.lower_bound(other, std::less<>()));
    if (step % (steps / 40) == 0) check(blocks, oracle);
  }
  while (!oracle.empty()) {
    blocks.erase(*oracle.begin(), std::less<>());
    oracle.erase(oracle.begin());
  }
  check(blocks, oracle);
  BOOST_TEST(blocks.bytes() == 0u);
  BOOST_TEST(!blocks.erase(5, std::less<>()));
  blocks.insert(5, std::less<>());
  BOOST_TEST(blocks.size() == 1u);
}

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_set) {
  churn(20, 4000, 1);
  churn(3000, 20000, 2);
  churn(1u << 30, 60000, 3);
}

BOOST_AUTO_TEST_CASE(filled_blocks_are_searched_and_changed_like_others) {
  for (const uint32_t size : {0u, 1u, Blocks::kBlock, Blocks::kBlock + 1, 3 * Blocks::kBlock}) {
    Blocks blocks;
    uint32_t next = 0;
    blocks.fill(size, [&](std::span<uint32_t> items) {
      for (uint32_t& item : items) item = 3 * next++;
    });
    std::set<uint32_t> oracle;
    for (uint32_t i = 0; i < size; ++i) oracle.insert(3 * i);
    check(blocks, oracle);
    for (const uint32_t value : {1u, 3 * size / 2 + 1, 3 * size + 1}) {
      if (oracle.insert(value).second) blocks.insert(value, std::less<>());
    }
    check(blocks, oracle);
    for (uint32_t value = 0; value <= 3 * size + 2; ++value) {
      const auto found = blocks.lower_bound(value, std::less<>());
      const auto wanted = oracle.lower_bound(value);
      BOOST_REQUIRE((found == blocks.end()) == (wanted == oracle.end()));
      if (wanted != oracle.end()) BOOST_REQUIRE(*found == *wanted);
    }
  }
}

BOOST_AUTO_TEST_CASE(ascending_elements_fill_their_blocks) {
  Blocks blocks;
  std::set<uint32_t> oracle;
  for (uint32_t i = 0; i < 20000; ++i) {
    blocks.insert(i, std::less<>());
    oracle.insert(i);
  }
  check(blocks, oracle);
  BOOST_TEST(blocks.bytes() < 20000 * sizeof(uint32_t) * 1.3);
}

BOOST_AUTO_TEST_CASE(descending_elements) {
  Blocks blocks;
  std::set<uint32_t> oracle;
  for (uint32_t i = 9000; i > 0; --i) {
    blocks.insert(i, std::less<>());
    oracle.insert(i);
  }
  check(blocks, oracle);
}

BOOST_AUTO_TEST_CASE(little_lies_idle) {
  constexpr size_t kOfMany = 200;  // what knows of the blocks
  for (const uint32_t size : {600u, 2'100u, 3'000u, 5'000u}) {
    Blocks added;
    for (uint32_t i = 0; i < size; ++i) added.insert(i, std::less<>());
    Blocks filled;
    filled.fill(size, [](std::span<uint32_t> items) { std::iota(items.begin(), items.end(), 0u); });
    const size_t needed = size * sizeof(uint32_t);
    BOOST_TEST(added.bytes() <= needed + std::min<size_t>(needed, 8192) / 8 + kOfMany);
    BOOST_TEST(filled.bytes() <= needed + kOfMany);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
