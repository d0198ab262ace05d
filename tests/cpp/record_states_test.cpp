#include "attributes/record_states.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "memspan/error.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(record_states)

RecordInput some_state(std::mt19937& random) {
  RecordInput record;
  if (random() % 3 == 0) record.importance = static_cast<float>(random() % 5) / 4.0f;
  record.pinned = random() % 4 == 0;
  if (random() % 3 == 0) record.retired_at = kMinTime + static_cast<Micros>(random());
  if (random() % 3 == 0) record.expires_at = kMaxTime - static_cast<Micros>(random());
  return record;
}

void check_same(const RecordStates& states, const std::vector<RecordInput>& expected) {
  uint32_t judged = 0, pinned = 0, retired = 0, expiring = 0;
  for (Slot slot = 0; slot < expected.size(); ++slot) {
    BOOST_REQUIRE(states.importance(slot) == expected[slot].importance);
    BOOST_REQUIRE(states.pinned(slot) == expected[slot].pinned);
    BOOST_REQUIRE(states.retired_at(slot) == expected[slot].retired_at);
    BOOST_REQUIRE(states.expires_at(slot) == expected[slot].expires_at);
    judged += expected[slot].importance != kNotJudged;
    pinned += expected[slot].pinned;
    retired += expected[slot].retired_at != kForever;
    expiring += expected[slot].expires_at != kForever;
  }
  BOOST_TEST(states.judged() == judged);
  BOOST_TEST(states.pinned() == pinned);
  BOOST_TEST(states.retired() == retired);
  BOOST_TEST(states.expiring() == expiring);
}

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_vector) {
  std::mt19937 random(3);
  RecordStates states;
  std::vector<RecordInput> expected(500);
  for (int step = 0; step < 3000; ++step) {
    const auto slot = static_cast<Slot>(random() % 500);
    states.remove(slot);
    expected[slot] = random() % 3 == 0 ? RecordInput() : some_state(random);
    states.add(slot, expected[slot]);
  }
  check_same(states, expected);

  std::vector<Slot> live;
  std::vector<RecordInput> kept;
  for (Slot slot = 0; slot < 500; ++slot) {
    if (random() % 2 == 0) {
      states.remove(slot);
      continue;
    }
    live.push_back(slot);
    kept.push_back(expected[slot]);
  }
  ByteWriter out;
  states.save(out, live);
  RecordStates loaded;
  ByteReader in(out.bytes(), "file", 0);
  loaded.load(in, live.size());
  BOOST_TEST(in.left() == 0u);
  check_same(loaded, kept);
}

BOOST_AUTO_TEST_CASE(records_without_a_state_take_no_memory) {
  RecordStates states;
  for (Slot slot = 0; slot < 10'000; ++slot) states.add(slot, RecordInput());
  BOOST_TEST(states.bytes() == 0u);
  BOOST_TEST(states.expires_at(5) == kForever);
}

BOOST_AUTO_TEST_CASE(bad_columns_are_refused) {
  struct Columns {
    std::vector<uint32_t> judged = {0}, pinned = {1}, retired = {0, 1}, expiring = {};
    float importance = 0.5f;
    Micros retired_at = 5;
  };
  const auto load = [](const Columns& columns) {
    ByteWriter out;
    out.put_array<uint32_t>(columns.judged);
    out.put_each<float>(columns.judged.size(), [&](size_t) { return columns.importance; });
    out.put_array<uint32_t>(columns.pinned);
    for (const auto* times : {&columns.retired, &columns.expiring}) {
      out.put_array<uint32_t>(*times);
      out.put_each<Micros>(times->size(), [&](size_t) { return columns.retired_at; });
    }
    RecordStates states;
    ByteReader in(out.bytes(), "file", 0);
    states.load(in, 2);
    BOOST_TEST(in.left() == 0u);
  };
  load({});
  for (const Columns& bad : std::vector<Columns>{
           {.judged = {2}}, {.pinned = {1, 0}}, {.pinned = {1, 1}}, {.retired = {5}}, {.expiring = {0, 7}},
           {.importance = -1.0f}, {.importance = 1.5f}, {.importance = std::numeric_limits<float>::quiet_NaN()},
           {.retired_at = kForever}, {.retired_at = kMinTime - 1}}) {
    BOOST_CHECK_THROW(load(bad), CorruptSnapshot);
  }
}

BOOST_AUTO_TEST_CASE(the_index_takes_them_and_refuses_bad_ones) {
  Index index(IndexConfig{.dim = 2});
  test::add(index, {{.id = "a", .importance = 0.5f, .pinned = true, .retired_at = kMaxTime, .expires_at = kMaxTime},
                    {.id = "b"}});
  const UserStats stats = index.stats("ana").value();
  BOOST_TEST((stats.pinned == 1 && stats.retired == 1 && stats.expiring == 1));
  for (const test::Item& bad : std::vector<test::Item>{{.id = "c", .importance = 1.5f},
                                                       {.id = "c", .importance = -0.5f},
                                                       {.id = "c", .importance = std::nanf("")},
                                                       {.id = "c", .retired_at = kMaxTime + 1},
                                                       {.id = "c", .expires_at = kMinTime - 1}}) {
    BOOST_CHECK_THROW(test::add(index, {bad}), InvalidArgument);
  }
  BOOST_TEST(index.size() == 2u);
  test::add(index, {{.id = "a"}});
  BOOST_TEST(index.stats("ana").value().pinned == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
