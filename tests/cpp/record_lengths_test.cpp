#include "lexical/record_lengths.hpp"

#include <boost/test/unit_test.hpp>
#include <new>
#include <random>
#include <vector>

#include "memspan/error.hpp"
#include "support/allocations.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(record_lengths)

BOOST_AUTO_TEST_CASE(equals_a_vector_under_random_changes) {
  constexpr uint32_t kLengths[] = {0, 1, 25, 65'534, 65'535, 65'536, 8'000'000};
  std::mt19937 random(1);
  RecordLengths lengths;
  std::vector<uint32_t> oracle;
  for (int step = 0; step < 20'000; ++step) {
    const auto slot = static_cast<Slot>(random() % 3 == 0 ? oracle.size() : random() % (oracle.size() + 1));
    const auto any = static_cast<uint32_t>(random() % 300);
    const uint32_t length = random() % 4 != 0 ? any : kLengths[random() % std::size(kLengths)];
    lengths.make_room(slot, length);
    if (slot == oracle.size()) {
      oracle.push_back(length);
    } else {
      BOOST_REQUIRE(lengths[slot] == oracle[slot]);
      oracle[slot] = length;
    }
    lengths.set(slot, length);
    if (step % 1000 != 0) continue;
    BOOST_REQUIRE(lengths.size() == oracle.size());
    for (Slot each = 0; each < oracle.size(); ++each) BOOST_REQUIRE(lengths[each] == oracle[each]);
  }
}

BOOST_AUTO_TEST_CASE(after_room_was_made_no_memory_is_needed) {
  RecordLengths lengths;
  for (Slot slot = 0; slot < 5'000; ++slot) {
    const uint32_t length = slot % 100 == 7 ? 100'000 : slot;
    for (long successes = 0;; ++successes) {
      try {
        const test::FailingAllocation failing(successes);
        lengths.make_room(slot, length);
        break;
      } catch (const std::bad_alloc&) {
        BOOST_REQUIRE(lengths.size() == slot);
      }
    }
    const test::FailingAllocation failing(0);
    BOOST_REQUIRE_NO_THROW(lengths.set(slot, length));
    BOOST_REQUIRE(lengths[slot] == length);
  }
}

BOOST_AUTO_TEST_CASE(saved_and_loaded_they_are_the_same) {
  const std::vector<uint32_t> values = {0, 25, 65'534, 65'535, 3, 65'536, 8'000'000, 1};
  RecordLengths lengths;
  for (Slot slot = 0; slot < values.size(); ++slot) {
    lengths.make_room(slot, values[slot]);
    lengths.set(slot, values[slot]);
  }
  const std::vector<Slot> live = {6, 1, 3, 7, 0};
  ByteWriter out;
  lengths.save(out, live);
  ByteReader in(out.bytes(), "file", 0);
  RecordLengths loaded;
  loaded.load(in, live.size());
  BOOST_TEST(in.left() == 0u);
  for (Slot slot = 0; slot < live.size(); ++slot) BOOST_TEST(loaded[slot] == values[live[slot]]);
}

BOOST_AUTO_TEST_CASE(long_ones_that_are_not_as_many_are_not_loaded) {
  for (const size_t long_ones : {0u, 2u}) {
    ByteWriter out;
    out.put<uint16_t>(0xFFFF);
    out.put<uint64_t>(long_ones);
    for (size_t i = 0; i < long_ones; ++i) out.put<uint32_t>(70'000);
    ByteReader in(out.bytes(), "file", 0);
    RecordLengths lengths;
    BOOST_CHECK_THROW(lengths.load(in, 1), CorruptSnapshot);
  }
}

BOOST_AUTO_TEST_CASE(short_ones_take_two_bytes) {
  RecordLengths lengths;
  BOOST_TEST(lengths.bytes() == 0u);
  for (Slot slot = 0; slot < 2'048; ++slot) lengths.set(slot, slot);
  BOOST_TEST(lengths.bytes() <= 2 * 2'048u + 64);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
