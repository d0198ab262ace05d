#include "tags/tag_records.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <new>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "memspan/error.hpp"
#include "snapshot/heap_body.hpp"
#include "support/allocations.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_records)

using TagIds = std::vector<TagId>;

TagIds tags_of(const TagRecords& records, Slot slot) {
  TagIds found;
  for (const TagId tag : records.of(slot)) found.push_back(tag);
  return found;
}

// Tags of each record, and a saved image of them.
struct Saved {
  Saved(size_t slots, size_t tag_count, uint32_t seed) : of_record(slots), tags(tag_count) {
    std::mt19937 random(seed);
    for (TagIds& own : of_record) {
      std::set<TagId> chosen;
      for (size_t i = random() % 6; i > 0; --i) chosen.insert(static_cast<TagId>(random() % tags));
      own.assign(chosen.rbegin(), chosen.rend());
    }
    TagRecords records;
    fill(records);
    std::vector<Slot> live(slots);
    std::iota(live.begin(), live.end(), Slot{0});
    std::vector<uint32_t> numbers(tags);
    std::iota(numbers.begin(), numbers.end(), uint32_t{0});
    HeapBody pieces(1024);
    records.save(head, pieces, live, numbers, tags);
    body = pieces.take();
  }
  void fill(TagRecords& records) const {
    records.make_room(static_cast<TagId>(tags - 1));
    for (Slot slot = 0; slot < of_record.size(); ++slot) {
      records.start(slot, of_record[slot].size(), tags);
      for (const TagId tag : of_record[slot]) records.append(slot, tag);
    }
  }
  void load(TagRecords& records) const {
    ByteReader in(head.bytes(), "file", 0);
    records.make_room(static_cast<TagId>(tags - 1));
    records.load(in, body, of_record.size(), tags);
    BOOST_REQUIRE(in.left() == 0u);
  }
  void check_equal(const TagRecords& records) const {
    std::map<TagId, std::vector<Slot>> carriers;
    for (Slot slot = 0; slot < of_record.size(); ++slot) {
      BOOST_REQUIRE(tags_of(records, slot) == of_record[slot]);
      for (const TagId tag : of_record[slot]) carriers[tag].push_back(slot);
    }
    for (TagId tag = 0; tag < tags; ++tag) {
      const TagRecords::Slots& slots = records.carriers(tag);
      BOOST_REQUIRE(std::vector<Slot>(slots.begin(), slots.end()) == carriers[tag]);
    }
  }

  std::vector<TagIds> of_record;
  size_t tags;
  ByteWriter head;
  Body body;
};

BOOST_AUTO_TEST_CASE(what_was_saved_is_read_when_it_is_asked_for) {
  for (const size_t tags : {1u, 40u, 65'536u, 65'537u, 70'000u}) {
    const Saved saved(700, tags, static_cast<uint32_t>(tags));
    TagRecords records;
    saved.load(records);
    saved.check_equal(records);
    records.leave(699, 0);  // and may change from then on
    records.clear(699);
    records.start(699, 1, tags);
    records.append(699, 0);
    BOOST_TEST(tags_of(records, 699) == TagIds{0});
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_read_counts_as_much_as_it_will_take) {
  const Saved saved(5'000, 300, 1);
  TagRecords records;
  saved.load(records);
  const size_t before = records.bytes();
  records.check();
  BOOST_TEST(10 * before >= 9 * records.bytes());
  BOOST_TEST(10 * before <= 12 * records.bytes());
}

BOOST_AUTO_TEST_CASE(damage_is_found_by_the_first_who_asks) {
  const Saved saved(300, 20, 2);
  for (uint64_t at = 0; at < saved.body.size; at += 41) {
    saved.body.data[at] ^= std::byte{1};
    TagRecords records;
    saved.load(records);
    BOOST_CHECK_THROW(records.check(), CorruptSnapshot);
    BOOST_CHECK_THROW(records.of(0), CorruptSnapshot);  // and by everybody after it
    BOOST_CHECK_THROW(records.carriers(0), CorruptSnapshot);
    saved.body.data[at] ^= std::byte{1};
    saved.check_equal(records);
  }
}

BOOST_AUTO_TEST_CASE(a_reading_that_finds_no_memory_can_be_tried_again) {
  const Saved saved(300, 20, 3);
  TagRecords records;
  saved.load(records);
  long failures = 0;
  for (;; ++failures) {
    try {
      const test::FailingAllocation failing(failures);
      records.check();
      break;
    } catch (const std::bad_alloc&) {
    }
  }
  BOOST_TEST(failures > 3);
  saved.check_equal(records);
}

BOOST_AUTO_TEST_CASE(several_may_ask_at_once) {
  const Saved saved(3'000, 200, 4);
  for (int round = 0; round < 20; ++round) {
    TagRecords records;
    saved.load(records);
    size_t found[2] = {0, 0};
    const auto count = [&](size_t who) {
      for (Slot slot = 0; slot < 3'000; ++slot) found[who] += records.of(slot).size();
    };
    std::thread other(count, 1);
    const size_t counted = records.bytes();  // as statistics do
    count(0);
    other.join();
    BOOST_TEST(found[0] == found[1]);
    BOOST_TEST(10 * counted >= 9 * records.bytes());
  }
}

BOOST_AUTO_TEST_CASE(a_piece_that_is_none_is_not_used) {
  const Saved saved(10, 5, 5);
  const auto load = [&](uint64_t total, uint64_t offset, size_t slots, size_t tags) {
    ByteWriter head;
    head.put<uint64_t>(total);
    head.put<uint64_t>(offset);
    head.put<uint32_t>(0);
    ByteReader in(head.bytes(), "file", 0);
    TagRecords records;
    records.load(in, saved.body, slots, tags);
  };
  BOOST_CHECK_NO_THROW(load(1, 0, 10, 5));
  BOOST_CHECK_THROW(load(1, saved.body.size, 10, 5), CorruptSnapshot);
  BOOST_CHECK_THROW(load(1, ~uint64_t{0}, 10, 5), CorruptSnapshot);
  BOOST_CHECK_THROW(load(~uint64_t{0}, 0, 10, 5), CorruptSnapshot);
  BOOST_CHECK_THROW(load(1, 0, 10, 0), CorruptSnapshot);
  BOOST_CHECK_THROW(load(1, 0, 1'000'000, 5), CorruptSnapshot);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
