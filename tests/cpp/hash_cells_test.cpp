#include "base/hash_cells.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "support/allocations.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(hash_cells)

// Numbers with hashes of any kind, beside a map.
struct Numbers {
  std::vector<uint64_t> hashes;  // by number
  std::map<uint32_t, uint64_t> oracle;
  HashCells cells;

  struct HashOf {
    const Numbers& numbers;
    uint64_t operator()(uint32_t number) const { return numbers.hashes[number]; }
    void prefetch(uint32_t) const {}
  };
  uint32_t find(uint32_t number) const {
    return cells.find(hashes[number], [number](uint32_t other) { return other == number; });
  }
  void put(uint32_t number) {
    const uint32_t got = cells.find_or_put(
        hashes[number], number, [number](uint32_t other) { return other == number; }, [number] { return number; }, HashOf{*this});
    BOOST_REQUIRE(got == number);
    oracle[number] = hashes[number];
  }
  void erase(uint32_t number) {
    cells.erase(hashes[number], number, HashOf{*this});
    oracle.erase(number);
  }
  void check() const {
    BOOST_REQUIRE(cells.size() == oracle.size());
    for (uint32_t number = 0; number < hashes.size(); ++number) {
      BOOST_REQUIRE(find(number) == (oracle.contains(number) ? number : HashCells::kNone));
    }
  }
};

uint64_t wide(std::mt19937& random) { return uint64_t{random()} << 32 | random(); }

void change_at_random(Numbers& numbers, std::mt19937& random, int steps) {
  for (int step = 0; step < steps; ++step) {
    const auto number = static_cast<uint32_t>(random() % numbers.hashes.size());
    const bool growing = (step / 6000) % 2 == 0;
    if (numbers.oracle.contains(number)) {
      if (!growing || random() % 8 == 0) numbers.erase(number);
      numbers.oracle.contains(number) ? numbers.put(number) : void();
    } else if (growing) {
      numbers.put(number);
    }
    if (step % 3000 == 2999) numbers.check();
  }
}

BOOST_AUTO_TEST_CASE(equals_a_map_under_random_changes) {
  std::mt19937 random(1);
  Numbers numbers;
  for (int i = 0; i < 15'000; ++i) numbers.hashes.push_back(wide(random));
  change_at_random(numbers, random, 40'000);
  const HashCells moved = std::move(numbers.cells);
  BOOST_TEST(numbers.cells.size() == 0u);
  BOOST_TEST(moved.size() == numbers.oracle.size());
  numbers.cells = HashCells();
  numbers.oracle.clear();
  numbers.check();
}

// What somebody may choose: everything in one segment, at one cell, or with one tag.
BOOST_AUTO_TEST_CASE(any_hashes_will_do) {
  std::mt19937 random(2);
  for (const uint64_t same : {uint64_t{0xFFFF'FFFF} << 24, uint64_t{0xFFFF'FFFF}, uint64_t{0xFF} << 56}) {
    Numbers numbers;
    for (int i = 0; i < 6000; ++i) numbers.hashes.push_back(wide(random) & ~same);
    change_at_random(numbers, random, 8000);
    numbers.check();
  }
  Numbers equal;
  equal.hashes.assign(200, 12345);
  for (uint32_t number = 0; number < 200; ++number) equal.put(number);
  equal.check();
}

BOOST_AUTO_TEST_CASE(built_at_once_it_is_the_same) {
  std::mt19937 random(3);
  for (const size_t count : {0u, 1u, 12u, 13u, 1500u, 2000u, 40'000u, 62'000u, 70'000u}) {
    Numbers numbers;
    for (size_t i = 0; i < count; ++i) numbers.hashes.push_back(wide(random));
    BOOST_TEST(numbers.cells.build(numbers.hashes, [](uint32_t, uint32_t) { return false; }));
    for (uint32_t number = 0; number < count; ++number) numbers.oracle[number] = numbers.hashes[number];
    numbers.check();
    for (int i = 0; i < 5000; ++i) {
      numbers.hashes.push_back(wide(random));
      numbers.put(static_cast<uint32_t>(numbers.hashes.size() - 1));
    }
    numbers.check();
  }
}

BOOST_AUTO_TEST_CASE(built_at_once_what_comes_twice_is_seen) {
  std::mt19937 random(9);
  std::vector<uint64_t> hashes;
  for (uint32_t number = 0; number < 20'000; ++number) hashes.push_back(wide(random));
  const auto same = [&hashes](uint32_t a, uint32_t b) { return hashes[a] == hashes[b]; };
  BOOST_TEST(HashCells().build(hashes, same));
  hashes[18'001] = hashes[17];
  BOOST_TEST(!HashCells().build(hashes, same));
}

BOOST_AUTO_TEST_CASE(a_number_is_replaced_where_it_is) {
  std::mt19937 random(6);
  Numbers numbers;
  constexpr uint32_t kCount = 3000;
  for (uint32_t number = 0; number < 2 * kCount; ++number) numbers.hashes.push_back(wide(random));
  for (uint32_t number = kCount; number < 2 * kCount; ++number) numbers.put(number);
  for (uint32_t number = kCount; number < 2 * kCount; number += 3) {
    const uint32_t smaller = number - kCount;
    numbers.hashes[smaller] = numbers.hashes[number];
    numbers.cells.renumber(numbers.hashes[number], number, smaller);
    numbers.oracle.erase(number);
    numbers.oracle[smaller] = numbers.hashes[smaller];
  }
  numbers.check();
}

// Below 65,536 numbers take two bytes; a segment becomes wide with the first that does not.
BOOST_AUTO_TEST_CASE(small_numbers_and_large_ones_lie_together) {
  std::mt19937 random(7);
  constexpr uint32_t kNarrow = 65'536;
  for (const uint32_t small : {0u, 1u, 3u, 700u, 3'000u, 9'000u}) {
    Numbers numbers;
    for (uint32_t number = 0; number < kNarrow + 4'000; ++number) numbers.hashes.push_back(wide(random));
    for (uint32_t i = 0; i < small; ++i) numbers.put(kNarrow - 1 - 7 * i);
    const size_t before = numbers.cells.bytes();
    BOOST_TEST(before <= 6.0 * small + 32);
    for (uint32_t number = kNarrow; number < numbers.hashes.size(); ++number) {
      numbers.put(number);
      if (number % 2'000 < 2) numbers.check();
    }
    for (uint32_t i = 0; i < small; i += 2) numbers.erase(kNarrow - 1 - 7 * i);
    for (uint32_t number = 0; number < 20; ++number) numbers.put(number);
    numbers.check();
  }
}

// Numbers whose hashes do not tell them apart cannot be split: what they lie in becomes wide as it is.
BOOST_AUTO_TEST_CASE(a_segment_that_cannot_be_split_becomes_wide) {
  std::mt19937 random(8);
  Numbers numbers;
  for (uint32_t number = 0; number < 70'000; ++number) numbers.hashes.push_back(wide(random) & 0xFF00'0000'00FF'FFFF);
  for (uint32_t number = 0; number < 6'000; ++number) numbers.put(number);
  for (uint32_t number = 65'530; number < 65'540; ++number) numbers.put(number);
  numbers.check();
}

BOOST_AUTO_TEST_CASE(a_number_takes_few_bytes) {
  std::mt19937 random(4);
  for (const auto& [count, most_bytes] : {std::pair{2'000u, 5.8}, {6'800u, 5.8}, {50'000u, 5.8}, {200'000u, 9.6}}) {
    Numbers numbers;
    for (size_t i = 0; i < count; ++i) {
      numbers.hashes.push_back(wide(random));
      numbers.put(static_cast<uint32_t>(i));
    }
    BOOST_TEST(numbers.cells.bytes() < most_bytes * static_cast<double>(count));
  }
  BOOST_TEST(HashCells().bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_changes) {
  std::mt19937 random(5);
  Numbers numbers;
  for (uint32_t number = 0; number < 9000; ++number) {
    numbers.hashes.push_back(wide(random));
    for (long successes = 0;; ++successes) {
      try {
        const test::FailingAllocation failing(successes);
        numbers.cells.find_or_put(
            numbers.hashes[number], number, [](uint32_t) { return false; }, [number] { return number; }, Numbers::HashOf{numbers});
        break;
      } catch (const std::bad_alloc&) {
        BOOST_REQUIRE(numbers.cells.size() == number);
      }
    }
    numbers.oracle[number] = numbers.hashes[number];
  }
  numbers.check();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
