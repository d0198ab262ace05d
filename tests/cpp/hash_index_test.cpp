#include "base/hash_index.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace memspan {
namespace {

BOOST_AUTO_TEST_SUITE(hash_index)

// Numbers whose hashes the test chooses.
struct Fixture {
  HashIndex index;
  std::map<uint32_t, uint32_t> hashes;  // by number
  std::mt19937 random{1};

  void insert(uint32_t hash, uint32_t number) {
    index.insert(hash, number);
    hashes[number] = hash;
  }
  void erase(uint32_t number) {
    index.erase(hashes.at(number), number);
    hashes.erase(number);
  }
  uint32_t find(uint32_t hash, uint32_t number) const {
    return index.find(hash, [=](uint32_t candidate) { return candidate == number; });
  }
  void check() const {
    BOOST_REQUIRE(index.size() == hashes.size());
    for (const auto& [number, hash] : hashes) BOOST_REQUIRE(find(hash, number) == number);
    std::set<uint32_t> seen;
    index.for_each([&](uint32_t number) { BOOST_REQUIRE(seen.insert(number).second); });
    BOOST_REQUIRE(seen.size() == hashes.size());
  }
  // `bits` of the hash are random, the others are zero.
  void churn(uint32_t bits, int steps) {
    uint32_t next = 0;
    std::vector<uint32_t> alive;
    for (int step = 0; step < steps; ++step) {
      const bool growing = step / (steps / 4) % 2 == 0;
      if (alive.empty() || random() % 10 < (growing ? 9u : 2u)) {
        insert(static_cast<uint32_t>(random()) & bits, next);
        alive.push_back(next++);
      } else {
        const size_t place = random() % alive.size();
        erase(alive[place]);
        BOOST_REQUIRE(find(static_cast<uint32_t>(random()) & bits, alive[place]) == HashIndex::kNone);
        alive[place] = alive.back();
        alive.pop_back();
      }
      if (step % (steps / 20) == 0) check();
    }
    check();
  }
};

BOOST_FIXTURE_TEST_CASE(random_hashes, Fixture) { churn(~0u, 60000); }
BOOST_FIXTURE_TEST_CASE(few_lower_bits, Fixture) { churn(0xFFFF0003u, 20000); }
BOOST_FIXTURE_TEST_CASE(few_upper_bits, Fixture) { churn(0xC0000FFFu, 20000); }
BOOST_FIXTURE_TEST_CASE(equal_hashes, Fixture) { churn(0, 3000); }

BOOST_FIXTURE_TEST_CASE(an_empty_index_finds_nothing, Fixture) {
  BOOST_TEST(find(1, 1) == HashIndex::kNone);
  BOOST_TEST(index.bytes() == 0u);
  insert(1, 1);
  erase(1);
  BOOST_TEST(find(1, 1) == HashIndex::kNone);
}

BOOST_FIXTURE_TEST_CASE(moving_keeps_everything, Fixture) {
  for (const uint32_t count : {0u, 3u, 5000u}) {
    index.clear();
    hashes.clear();
    for (uint32_t number = 0; number < count; ++number) insert(static_cast<uint32_t>(random()), number);
    HashIndex moved(std::move(index));
    BOOST_TEST(moved.size() == count);
    BOOST_TEST(index.size() == 0u);
    index = std::move(moved);
    check();
  }
}

// Numbers that agree in the upper bits must not blow the directory up.
BOOST_FIXTURE_TEST_CASE(a_flood_of_like_hashes_takes_little_memory, Fixture) {
  for (uint32_t number = 0; number < 20000; ++number) insert(number, number);
  check();
  BOOST_TEST(index.bytes() < 20000u * 40);
}

BOOST_AUTO_TEST_CASE(texts_hash_alike_only_if_equal) {
  BOOST_TEST(HashIndex::hash("ana") == HashIndex::hash(std::string("ana")));
  BOOST_TEST(HashIndex::hash("ana") != HashIndex::hash("anb"));
}

// Built at once it holds what single insertions put into it, and goes on like them.
BOOST_AUTO_TEST_CASE(built_at_once_it_is_the_same) {
  std::mt19937 random(6);
  for (const size_t count : {0u, 1u, 3u, 4u, 700u, 768u, 769u, 5000u, 60'000u}) {
    for (const uint32_t spread : {~uint32_t{0}, uint32_t{0xFFF}, uint32_t{0}}) {
      if (count > (spread == 0 ? 1000u : spread == 0xFFF ? 5000u : 60'000u)) continue;  // long runs of like hashes
      std::vector<uint32_t> hashes(count);
      for (uint32_t& hash : hashes) hash = static_cast<uint32_t>(random()) & spread;
      HashIndex index;
      index.build(hashes);
      BOOST_REQUIRE(index.size() == count);
      const auto find = [&](uint32_t number) {
        return index.find(hashes[number], [&](uint32_t other) { return other == number; });
      };
      for (uint32_t number = 0; number < count; ++number) BOOST_REQUIRE(find(number) == number);
      BOOST_TEST(index.distinct([](uint32_t, uint32_t) { return false; }));
      std::vector<uint32_t> sorted = hashes;
      std::sort(sorted.begin(), sorted.end());
      const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      BOOST_TEST(index.distinct([](uint32_t, uint32_t) { return true; }) == !twice);
      for (uint32_t number = 0; number < count; number += 2) index.erase(hashes[number], number);
      for (uint32_t more = 0; more < count; ++more) {
        hashes.push_back(static_cast<uint32_t>(random()) & spread);
        index.insert(hashes.back(), static_cast<uint32_t>(count) + more);
      }
      for (uint32_t number = 0; number < hashes.size(); ++number) {
        const bool gone = number < count && number % 2 == 0;
        BOOST_REQUIRE(find(number) == (gone ? HashIndex::kNone : number));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
