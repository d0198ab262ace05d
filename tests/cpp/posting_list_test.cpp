#include "lexical/posting_list.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(posting_list)

void check(const PostingList& list, const std::set<Slot>& slots) {
  BOOST_REQUIRE(list.size() == slots.size());
  BOOST_REQUIRE(list.empty() == slots.empty());
  auto wanted = slots.begin();
  for (size_t i = 0; i < list.blocks(); ++i) {
    const std::span<const Posting> block = list.block(i);
    BOOST_REQUIRE(!block.empty());
    BOOST_REQUIRE(block.size() <= PostingBlock::kMost);
    for (size_t j = 1; j < block.size(); ++j) BOOST_REQUIRE(block[j - 1].slot() < block[j].slot());
    for (const Posting& posting : block) {
      BOOST_REQUIRE(wanted != slots.end());
      BOOST_REQUIRE(posting.slot() == *wanted++);
      BOOST_REQUIRE(posting.frequency() == posting.slot() % 7 + 1);
    }
    BOOST_REQUIRE(list.find_block(block.front().slot()) == i);
    BOOST_REQUIRE(list.find_block(block.back().slot()) == i);
    BOOST_REQUIRE(list.find_block(block.back().slot() + 1) == i + 1);
  }
  BOOST_REQUIRE(wanted == slots.end());
}

void insert(PostingList& list, std::set<Slot>& slots, Slot slot) {
  if (slots.insert(slot).second) list.insert(Posting(slot, slot % 7 + 1, 20));
}

BOOST_AUTO_TEST_CASE(a_posting_keeps_what_fits) {
  const Posting ordinary(0x89ABCDEF, 3, 1023);
  BOOST_TEST(ordinary.slot() == 0x89ABCDEF);
  BOOST_TEST(ordinary.has_length());
  BOOST_TEST(ordinary.length() == 1023u);
  BOOST_TEST(ordinary.has_frequency());
  BOOST_TEST(ordinary.frequency() == 3u);
  BOOST_TEST(ordinary.code() < 4u << Posting::kLengthBits);
  BOOST_TEST(Posting(1, 30, 40).has_frequency());
  BOOST_TEST(!Posting(1, 31, 40).has_frequency());
  BOOST_TEST(!Posting(1, 5, 1024).has_length());
  BOOST_TEST(Posting(1, 32'766, 40'000).has_frequency());
  BOOST_TEST(Posting(1, 32'766, 40'000).frequency() == 32'766u);
  BOOST_TEST(!Posting(1, 32'767, 40'000).has_frequency());
  BOOST_TEST(Posting(1, 1, 40'000).code() > 31u << Posting::kLengthBits);
}

BOOST_AUTO_TEST_CASE(appended_postings_fill_their_blocks) {
  PostingList list;
  std::set<Slot> slots;
  for (Slot slot = 0; slot < 5000; ++slot) {
    insert(list, slots, slot * 3);
    if (slot < 600 || slot % 500 == 0) check(list, slots);
  }
  check(list, slots);
  BOOST_TEST(list.blocks() == (5000 + PostingBlock::kMost - 1) / PostingBlock::kMost);
}

BOOST_AUTO_TEST_CASE(insertions_and_removals_anywhere) {
  std::mt19937 random(1);
  PostingList list;
  std::set<Slot> slots;
  for (int step = 0; step < 30'000; ++step) {
    const size_t wanted = (step / 10'000) % 2 == 0 ? 6000 : 0;
    if (slots.size() < wanted) {
      insert(list, slots, static_cast<Slot>(random() % 100'000));
    } else if (!slots.empty()) {
      auto victim = slots.lower_bound(static_cast<Slot>(random() % 100'000));
      if (victim == slots.end()) victim = slots.begin();
      list.erase(*victim);
      slots.erase(victim);
    }
    if (step % 1000 == 0 || slots.size() < 4) check(list, slots);
  }
  while (!slots.empty()) {
    list.erase(*slots.rbegin());
    slots.erase(std::prev(slots.end()));
  }
  check(list, slots);
  BOOST_TEST(list.bytes() == 0u);
}

// A block's postings without some, and with others between.
BOOST_AUTO_TEST_CASE(blocks_are_replaced_by_any_others) {
  std::mt19937 random(3);
  PostingList list;
  std::set<Slot> slots;
  size_t most_blocks = 0;
  for (int step = 0; step < 1200; ++step) {
    if (slots.empty()) insert(list, slots, static_cast<Slot>(random() % 100'000));
    const size_t i = random() % list.blocks();
    const Slot first = i == 0 ? 0 : list.block(i - 1).back().slot() + 1;
    const Slot last = i + 1 == list.blocks() ? 100'000 : list.block(i + 1).front().slot() - 1;
    const bool grows = (step / 150) % 2 == 0;
    const size_t coming = random() % 16 == 0 ? 3000 : random() % (grows ? 200 : 20);
    const uint32_t staying = random() % 16 == 0 ? 0 : grows ? 95 : 60;
    const std::span<const Posting> block = list.block(i);
    std::set<Slot> wanted;
    for (const Posting& each : block) {
      slots.erase(each.slot());
      if (random() % 100 < staying) wanted.insert(each.slot());
    }
    for (size_t n = 0; n < (grows || coming < 20 ? coming : 0) && last > first; ++n) wanted.insert(first + static_cast<Slot>(random() % (last - first)));
    std::vector<Posting> postings;
    for (const Slot slot : wanted) postings.emplace_back(slot, slot % 7 + 1, 20);
    list.replace(i, postings);
    slots.insert(wanted.begin(), wanted.end());
    if (step % 25 == 0 || slots.size() < 4) check(list, slots);
    most_blocks = std::max(most_blocks, list.blocks());
  }
  BOOST_TEST(most_blocks > 5u);
  while (list.blocks() > 0) list.replace(list.blocks() - 1, {});
  slots.clear();
  check(list, slots);
  BOOST_TEST(list.bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_list_is_cut_at_any_slot) {
  for (const Slot size : {1u, 2u, 3u, 50u, 2048u, 2049u, 9000u}) {
    for (const Slot first : {0u, 1u, 2u, 3u, 90u, 4094u, 4095u, 4096u, 4098u, 4100u, 17'000u, 20'000u}) {
      PostingList list;
      std::set<Slot> slots;
      for (Slot slot = 0; slot < size; ++slot) insert(list, slots, slot * 2);
      list.truncate(first);
      slots.erase(slots.lower_bound(first), slots.end());
      check(list, slots);
      insert(list, slots, 30'001);
      check(list, slots);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_posting_is_overwritten_where_it_is) {
  for (const Slot size : {1u, 2u, 50u, 3000u, 9000u}) {
    PostingList list;
    for (Slot slot = 0; slot < size; ++slot) list.insert(Posting(slot * 2, 1, 20));
    const size_t bytes = list.bytes();
    BOOST_TEST(!list.overwrite(Posting(1, 5, 20)));
    BOOST_TEST(!list.overwrite(Posting(size * 2, 5, 20)));
    for (Slot slot = 0; slot < size; slot += 7) {
      const size_t piece = slot % 2 == 0 ? PostingList::kUnknown : list.find_block(slot * 2);
      BOOST_REQUIRE(list.overwrite(Posting(slot * 2, 5, 30), piece));
    }
    Slot next = 0;
    for (size_t i = 0; i < list.blocks(); ++i) {
      for (const Posting& posting : list.block(i)) {
        BOOST_REQUIRE(posting.slot() == next * 2);
        BOOST_REQUIRE(posting.frequency() == (next % 7 == 0 ? 5u : 1u));
        BOOST_REQUIRE(posting.length() == (next % 7 == 0 ? 30u : 20u));
        ++next;
      }
    }
    BOOST_TEST(next == size);
    BOOST_TEST(list.max_frequency() >= 5u);
    BOOST_TEST(list.bytes() == bytes);
  }
}

BOOST_AUTO_TEST_CASE(a_list_that_shrinks_gives_memory_back) {
  std::mt19937 random(2);
  PostingList list;
  std::set<Slot> slots;
  while (slots.size() < 20'000) insert(list, slots, static_cast<Slot>(random() % 1'000'000));
  BOOST_TEST(list.bytes() < 20'000 * 10);
  while (slots.size() > 100) {
    auto victim = slots.lower_bound(static_cast<Slot>(random() % 1'000'000));
    if (victim == slots.end()) victim = slots.begin();
    list.erase(*victim);
    slots.erase(victim);
  }
  check(list, slots);
  BOOST_TEST(list.bytes() < 1500u);
}

BOOST_AUTO_TEST_CASE(moving_leaves_nothing_behind) {
  PostingList list;
  std::set<Slot> slots;
  for (Slot slot = 0; slot < 1000; ++slot) insert(list, slots, slot);
  PostingList other(std::move(list));
  check(other, slots);
  PostingList third;
  third.insert(Posting(1, 1, 1));
  third = std::move(other);
  check(third, slots);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
