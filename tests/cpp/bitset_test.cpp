#include "base/bitset.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(bitset)

std::vector<Slot> members(const Bitset& bits) {
  std::vector<Slot> slots;
  bits.for_each([&](Slot slot) { slots.push_back(slot); });
  return slots;
}

BOOST_AUTO_TEST_CASE(agrees_with_a_set_under_random_changes) {
  std::mt19937 random(1);
  for (const size_t size : {1u, 63u, 64u, 65u, 128u, 1000u}) {
    Bitset bits;
    bits.resize(size);
    std::set<Slot> oracle;
    for (int step = 0; step < 2000; ++step) {
      const auto slot = static_cast<Slot>(random() % size);
      if (random() % 2 == 0) {
        bits.set(slot);
        oracle.insert(slot);
      } else {
        bits.reset(slot);
        oracle.erase(slot);
      }
      BOOST_REQUIRE_EQUAL(bits.test(slot), oracle.contains(slot));
    }
    BOOST_TEST(bits.count() == oracle.size());
    BOOST_TEST(members(bits) == std::vector<Slot>(oracle.begin(), oracle.end()), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(all_ones_have_no_bits_behind_the_end) {
  for (size_t size = 0; size < 200; ++size) {
    Bitset bits;
    bits.assign(size, true);
    BOOST_TEST(bits.size() == size);
    BOOST_TEST(bits.count() == size);
  }
}

BOOST_AUTO_TEST_CASE(bits_that_come_back_after_shrinking_are_clear) {
  for (const size_t small : {0u, 1u, 63u, 64u, 65u}) {
    Bitset bits;
    bits.assign(130, true);
    bits.resize(small);
    BOOST_TEST(bits.count() == small);
    bits.resize(130);
    BOOST_TEST(bits.count() == small);
  }
}

BOOST_AUTO_TEST_CASE(keep_if_keeps_the_members_of_both) {
  std::mt19937 random(2);
  Bitset a;
  Bitset b;
  a.assign(300, false);
  b.assign(300, false);
  std::vector<Slot> both;
  for (Slot slot = 0; slot < 300; ++slot) {
    const bool in_a = random() % 2 == 0;
    const bool in_b = random() % 2 == 0;
    if (in_a) a.set(slot);
    if (in_b) b.set(slot);
    if (in_a && in_b) both.push_back(slot);
  }
  a.keep_if([&](Slot slot) { return b.test(slot); });
  BOOST_TEST(members(a) == both, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keep_if_asks_about_members_only) {
  Bitset bits;
  bits.assign(100, false);
  bits.set(3);
  bits.set(99);
  std::vector<Slot> asked;
  bits.keep_if([&](Slot slot) {
    asked.push_back(slot);
    return slot == 99;
  });
  BOOST_TEST(asked == (std::vector<Slot>{3, 99}), boost::test_tools::per_element());
  BOOST_TEST(members(bits) == std::vector<Slot>{99}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keep_words_sees_words_with_members_and_adds_none) {
  Bitset bits;
  bits.assign(300, false);
  for (const size_t bit : {1, 2, 130, 299}) bits.set(bit);
  std::vector<size_t> seen;
  bits.keep_words([&](size_t i, uint64_t word) {
    BOOST_TEST(word == bits.word(i));
    seen.push_back(i);
    return i == 0 ? ~uint64_t{2} : ~uint64_t{0};
  });
  BOOST_TEST(seen == (std::vector<size_t>{0, 2, 4}), boost::test_tools::per_element());
  BOOST_TEST(members(bits) == (std::vector<Slot>{2, 130, 299}), boost::test_tools::per_element());
  BOOST_TEST(bits.word(5) == 0u);
}

BOOST_AUTO_TEST_CASE(for_every_takes_the_same_as_a_list) {
  std::mt19937 random(3);
  for (const unsigned density : {1u, 3u, 64u}) {
    Bitset bits;
    bits.assign(1000, false);
    for (size_t i = 0; i < 1000; ++i) {
      if (random() % density == 0) bits.set(i);
    }
    const std::vector<Slot> all = members(bits);
    for (const size_t step : {1, 2, 63, 64, 65, 900}) {
      std::vector<Slot> expected;
      for (size_t i = 0; i < all.size(); i += step) expected.push_back(all[i]);
      std::vector<Slot> taken;
      bits.for_every(step, [&](Slot slot) { taken.push_back(slot); });
      BOOST_TEST(taken == expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(parts_of_a_set) {
  std::mt19937 random(5);
  for (const unsigned rarely : {2u, 50u, 400u}) {
    Bitset bits;
    bits.resize(1000);
    for (size_t i = 0; i < bits.size(); ++i) {
      if (random() % rarely == 0) bits.set(i);
    }
    const std::vector<Slot> all = members(bits);
    for (size_t place = 0; place <= bits.size(); ++place) {
      const auto behind = std::lower_bound(all.begin(), all.end(), place);
      BOOST_TEST(bits.find_first(place) == (behind == all.end() ? bits.size() : *behind));
      BOOST_TEST(bits.find_last(place) == (behind == all.begin() ? bits.size() : behind[-1]));
    }
    for (const auto& [first, words] : {std::pair<size_t, size_t>(0, 16), {3, 4}, {15, 9}, {16, 1}, {40, 2}}) {
      std::vector<Slot> some;
      bits.for_each(first, words, [&](Slot slot) { some.push_back(slot); });
      const auto from = std::lower_bound(all.begin(), all.end(), first * 64);
      const auto to = std::lower_bound(from, all.end(), (first + words) * 64);
      BOOST_TEST(some == std::vector<Slot>(from, to), boost::test_tools::per_element());
      BOOST_TEST(bits.count(first, words) == some.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(set_each_sets_the_bits_of_all_items) {
  std::mt19937 random(6);
  std::vector<Slot> items;
  for (Slot slot = 70; slot < 300; ++slot) items.push_back(random() % 10 == 0 ? static_cast<Slot>(random() % 999) : slot);
  Bitset bits;
  bits.resize(1000);
  bits.set(999);
  bits.set_each(std::span(items).first(0), std::identity());
  BOOST_TEST(bits.count() == 1u);
  bits.set_each(items, std::identity());
  items.push_back(999);
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  BOOST_TEST(members(bits) == items, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(members_between_two_places_and_backwards) {
  Bitset set;
  set.resize(300);
  for (const Slot slot : {5u, 64u, 191u, 299u}) set.set(slot);
  for (size_t first = 0; first < 300; ++first) {
    for (size_t last = first; last < 300; ++last) {
      bool wanted = false;
      for (const size_t slot : {5u, 64u, 191u, 299u}) wanted |= first <= slot && slot <= last;
      BOOST_REQUIRE(set.any(first, last) == wanted);
    }
  }
  std::vector<Slot> found;
  set.for_each_backwards([&](Slot slot) { found.push_back(slot); });
  BOOST_TEST(found == (std::vector<Slot>{299, 191, 64, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
