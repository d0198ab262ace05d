#include "lexical/forward_lists.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <new>
#include <random>
#include <set>
#include <vector>

#include "lexical/forward_list.hpp"
#include "memspan/error.hpp"
#include "support/allocations.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(forward_lists)

using Bytes = std::vector<uint8_t>;

Bytes random_bytes(std::mt19937& random) {
  const size_t most = random() % 20 == 0 ? 5000 : random() % 30 == 0 ? ForwardLists::kShort + 3 : 90;
  Bytes bytes(random() % (most + 1));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

Bytes list_of(const ForwardLists& lists, Slot slot) {
  const std::span<const uint8_t> list = lists[slot];
  return {list.begin(), list.end()};
}

void check_equal(const ForwardLists& lists, const std::vector<Bytes>& oracle) {
  BOOST_REQUIRE(lists.size() == oracle.size());
  for (Slot slot = 0; slot < oracle.size(); ++slot) {
    BOOST_REQUIRE(list_of(lists, slot) == oracle[slot]);
    BOOST_REQUIRE(lists.empty(slot) == oracle[slot].empty());
  }
}

void change_at_random(std::mt19937& random, int steps, ForwardLists& lists, std::vector<Bytes>& oracle) {
  for (int step = 0; step < steps; ++step) {
    const auto slot = static_cast<Slot>(random() % 2 == 0 ? oracle.size() : random() % (oracle.size() + 1));
    if (slot < oracle.size() && random() % 2 == 0) {
      lists.erase(slot);
      oracle[slot].clear();
      continue;
    }
    const Bytes bytes = random_bytes(random);
    lists.set(slot, bytes);
    if (slot == oracle.size()) oracle.emplace_back();
    oracle[slot] = bytes;
  }
}

// What was saved, in memory of its own, as a snapshot has it.
struct Image {
  explicit Image(const std::vector<Bytes>& lists) {
    body = ForwardLists::save(head, lists.size(), [&](size_t i) { return std::span<const uint8_t>(lists[i]); });
  }
  ForwardLists load(size_t count) {
    ByteReader in(head.bytes(), "file", 0);
    ForwardLists loaded;
    BOOST_REQUIRE(loaded.load(in, count) == body.size());
    BOOST_REQUIRE(in.left() == 0u);
    loaded.use_image(reinterpret_cast<std::byte*>(body.data()));
    return loaded;
  }
  ByteWriter head;
  std::string body;
};

BOOST_AUTO_TEST_CASE(equals_a_vector_under_random_changes) {
  std::mt19937 random(1);
  ForwardLists lists;
  std::vector<Bytes> oracle;
  for (int round = 0; round < 40; ++round) {
    change_at_random(random, 100, lists, oracle);
    check_equal(lists, oracle);
  }
}

BOOST_AUTO_TEST_CASE(what_was_saved_is_used_where_it_lies_and_may_change) {
  std::mt19937 random(2);
  std::vector<Bytes> oracle;
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < 100; ++i) oracle.push_back(random_bytes(random));
    Image image(oracle);
    ForwardLists lists = image.load(oracle.size());
    check_equal(lists, oracle);
    const size_t before = lists.bytes();
    BOOST_TEST(before < 8 * oracle.size() + 20'000);  // no list
    change_at_random(random, 200, lists, oracle);
    check_equal(lists, oracle);
  }
}

BOOST_AUTO_TEST_CASE(sizes_that_are_none_are_not_loaded) {
  const auto load = [](std::vector<uint16_t> sizes, std::vector<uint32_t> long_sizes) {
    ByteWriter head;
    head.put_each<uint16_t>(sizes.size(), [&](size_t i) { return sizes[i]; });
    head.put_array<uint32_t>(long_sizes);
    ByteReader in(head.bytes(), "file", 0);
    return ForwardLists().load(in, sizes.size());
  };
  BOOST_TEST(load({3, 0, 0xFFFF, 1024}, {1025}) == 3u + 1025 + 1024);
  BOOST_CHECK_THROW(load({1025}, {}), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0xFFFE}, {}), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0xFFFF}, {}), CorruptSnapshot);
  BOOST_CHECK_THROW(load({1}, {2000}), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0xFFFF}, {1024}), CorruptSnapshot);
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_changes) {
  std::mt19937 random(3);
  ForwardLists lists;
  std::vector<Bytes> oracle;
  for (int step = 0; step < 700; ++step) {
    const auto slot = static_cast<Slot>(random() % 2 == 0 ? oracle.size() : random() % (oracle.size() + 1));
    const Bytes bytes = random_bytes(random);
    for (long successes = 0;; ++successes) {
      try {
        const test::FailingAllocation failing(successes);
        lists.set(slot, bytes);
        break;
      } catch (const std::bad_alloc&) {
        check_equal(lists, oracle);
      }
    }
    if (slot == oracle.size()) oracle.emplace_back();
    oracle[slot] = bytes;
    if (step % 3 != 0) continue;
    const test::FailingAllocation failing(0);
    BOOST_REQUIRE_NO_THROW(lists.erase(slot));
    oracle[slot].clear();
  }
  check_equal(lists, oracle);
}

BOOST_AUTO_TEST_CASE(a_list_costs_its_bytes_and_little_more) {
  BOOST_TEST(ForwardLists().bytes() == 0u);
  const Bytes list(30, 1);
  ForwardLists lists;
  for (size_t count = 1; count <= 3'000; ++count) {
    lists.set(static_cast<Slot>(count - 1), list);
    const size_t last_group = std::min<size_t>(count, 64) * list.size();
    BOOST_REQUIRE(lists.bytes() <= count * (list.size() + 3) + last_group / 4 + 4'600);
  }
  BOOST_TEST(10 * lists.bytes() <= 3'000 * (10 * list.size() + 24) + 46'000);
}

BOOST_AUTO_TEST_CASE(long_lists_count_as_long_as_they_are_there) {
  const Bytes long_one(5'000, 1), longer(9'000, 2), short_one(10, 3);
  ForwardLists lists;
  lists.set(0, short_one);
  const size_t before = lists.bytes();
  lists.set(1, long_one);
  BOOST_TEST(lists.bytes() >= before + 5'000);
  lists.set(1, longer);
  const size_t with_longer = lists.bytes();
  BOOST_TEST(with_longer >= before + 9'000);
  BOOST_TEST(with_longer < before + 14'000);
  lists.set(1, short_one);
  BOOST_TEST(lists.bytes() == with_longer - 9'000);
  lists.set(1, longer);
  lists.erase(1);
  BOOST_TEST(lists.bytes() == with_longer - 9'000);
  Image image({short_one, longer});
  ForwardLists loaded = image.load(2);
  const size_t stored = loaded.bytes();
  BOOST_TEST(stored < 5'000u);
  loaded.erase(1);  // of which nothing was counted
  BOOST_TEST(loaded.bytes() == stored);
}

BOOST_AUTO_TEST_CASE(what_is_erased_does_not_stay_in_memory) {
  ForwardLists lists;
  for (Slot slot = 0; slot < 3; ++slot) lists.set(slot, Bytes(20, static_cast<uint8_t>(7 + slot)));
  const uint8_t* const start = lists[0].data();
  lists.erase(1);
  lists.set(2, Bytes(2, 9));
  BOOST_TEST(std::count(start, start + 60, uint8_t{8}) == 0);
  BOOST_TEST(std::count(start, start + 60, uint8_t{9}) == 2);
  lists.set(2, {});
  BOOST_TEST(std::count(start, start + 60, uint8_t{9}) == 0);
}

BOOST_AUTO_TEST_CASE(terms_are_read_as_they_were_written) {
  std::mt19937 random(4);
  for (int round = 0; round < 2'000; ++round) {
    const uint64_t numbers = uint64_t{1} << random() % 33;
    std::map<TermId, uint32_t> terms;
    for (size_t i = 1 + random() % (round % 10 == 0 ? 400 : 40); i > 0; --i) {
      const auto term = static_cast<TermId>(std::min(numbers - 1, uint64_t{random()} % numbers));
      if (term != kNoTerm) terms[term] = random() % 4 == 0 ? 1 + static_cast<uint32_t>(random()) / (1u << random() % 31) : 1;
    }
    std::vector<Occurrence> expected;
    for (const auto& [term, frequency] : terms) expected.push_back({term, std::max(frequency, 1u)});
    if (expected.empty()) continue;
    Bytes memory;
    const std::span<const uint8_t> bytes = forward_list::write(expected, memory);
    size_t next = 0;
    forward_list::read(bytes, numbers, [&](const Occurrence& each) {
      BOOST_REQUIRE(next < expected.size());
      BOOST_REQUIRE(each.term == expected[next].term);
      BOOST_REQUIRE(each.frequency == expected[next].frequency);
      ++next;
      return true;
    });
    BOOST_REQUIRE(next == expected.size());
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_read) {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes(random() % 40);
    const uint8_t mask = round % 3 == 0 ? 0x11 : 0xFF;  // long numbers, too
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random()) & mask;
    const size_t numbers = random() % 3 == 0 ? 0 : random() % 5'000;
    uint64_t next = 0;
    forward_list::read(bytes, numbers, [&](const Occurrence& each) {
      BOOST_REQUIRE(each.term >= next);
      BOOST_REQUIRE(each.term < numbers);
      next = uint64_t{each.term} + 1;
      return true;
    });
  }
}

BOOST_AUTO_TEST_CASE(terms_take_little) {
  std::vector<Occurrence> common;  // numbers that came early
  for (TermId term = 0; term < 24; ++term) common.push_back({term, 1});
  Bytes memory;
  BOOST_TEST(forward_list::write(common, memory).size() <= 8u);
  std::vector<Occurrence> rare;
  for (TermId i = 0; i < 24; ++i) rare.push_back({i * 300 + 7, 1});
  BOOST_TEST(forward_list::write(rare, memory).size() <= 42u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
