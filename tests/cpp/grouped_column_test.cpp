#include "base/grouped_column.hpp"

#include <boost/test/unit_test.hpp>
#include <new>
#include <random>
#include <vector>

#include "memspan/error.hpp"
#include "support/allocations.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(grouped_column)

using Column = GroupedColumn<Micros>;

void check_equal(const Column& column, const std::vector<Micros>& oracle) {
  BOOST_REQUIRE(column.size() == oracle.size());
  for (Slot slot = 0; slot < oracle.size(); ++slot) BOOST_REQUIRE(column[slot] == oracle[slot]);
}

Column saved_and_loaded(const std::vector<Micros>& values) {
  ByteWriter out;
  Column::save(out, values.size(), [&](size_t i) { return values[i]; });
  ByteReader in(out.bytes(), "file", 0);
  Column loaded;
  loaded.load(in, values.size());
  BOOST_REQUIRE(in.left() == 0u);
  return loaded;
}

// Batches of one value, now and then one by itself.
Micros next_value(std::mt19937& random, Micros& batch) {
  if (random() % 50 == 0) batch = static_cast<Micros>(random());
  return random() % 40 == 0 ? static_cast<Micros>(random()) : batch;
}

BOOST_AUTO_TEST_CASE(equals_a_vector_under_random_changes) {
  std::mt19937 random(1);
  Micros batch = 0;
  Column column;
  std::vector<Micros> oracle;
  for (int step = 0; step < 10'000; ++step) {
    const auto slot = static_cast<Slot>(random() % 4 != 0 ? oracle.size() : random() % (oracle.size() + 1));
    const Micros value = next_value(random, batch);
    column.set(slot, value);
    if (slot == oracle.size()) oracle.push_back(value);
    oracle[slot] = value;
    if (step % 500 != 0) continue;
    check_equal(column, oracle);
    check_equal(saved_and_loaded(oracle), oracle);
  }
  Column loaded = saved_and_loaded(oracle);
  for (Slot slot = 0; slot < oracle.size(); slot += 7) loaded.set(slot, oracle[slot] = static_cast<Micros>(slot));
  for (int i = 0; i < 200; ++i) {
    loaded.set(static_cast<Slot>(oracle.size()), i);
    oracle.push_back(i);
  }
  check_equal(loaded, oracle);
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_changes) {
  std::mt19937 random(2);
  Micros batch = 0;
  Column column;
  std::vector<Micros> oracle;
  for (int step = 0; step < 2'000; ++step) {
    const auto slot = static_cast<Slot>(random() % 4 != 0 ? oracle.size() : random() % (oracle.size() + 1));
    const Micros value = next_value(random, batch);
    for (long successes = 0;; ++successes) {
      try {
        const test::FailingAllocation failing(successes);
        column.set(slot, value);
        break;
      } catch (const std::bad_alloc&) {
        check_equal(column, oracle);
      }
    }
    if (slot == oracle.size()) oracle.push_back(value);
    oracle[slot] = value;
  }
  check_equal(column, oracle);
}

BOOST_AUTO_TEST_CASE(equal_neighbours_take_next_to_nothing) {
  Column equal, different, lone;
  BOOST_TEST(equal.bytes() == 0u);
  for (Slot slot = 0; slot < 6'400; ++slot) {
    equal.set(slot, 5);
    different.set(slot, slot);
  }
  BOOST_TEST(equal.bytes() < 6'400 / 2);
  BOOST_TEST(different.bytes() < 6'400 * 8.5);
  lone.set(0, 1);
  const size_t of_one = lone.bytes();
  lone.set(0, 2);  // as when the only record is another one
  BOOST_TEST(lone.bytes() == of_one);
  for (Slot slot = 1; slot < 5; ++slot) lone.set(slot, slot);
  BOOST_TEST(lone.bytes() <= of_one + 8 * sizeof(Micros));
}

BOOST_AUTO_TEST_CASE(what_is_no_image_is_not_loaded) {
  const auto load = [](std::vector<uint8_t> marks, const std::vector<Micros>& values, size_t count) {
    ByteWriter out;
    out.put_each<uint8_t>(marks.size(), [&](size_t i) { return marks[i]; });
    out.put_array<Micros>(values);
    ByteReader in(out.bytes(), "file", 0);
    Column column;
    column.load(in, count);
    return column.size();
  };
  BOOST_TEST(load({0, 1}, {1, 2, 3}, 66) == 66u);
  BOOST_CHECK_THROW(load({0, 2}, {1, 2, 3}, 66), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0, 1}, {1, 2}, 66), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0, 0}, {1, 2, 3}, 66), CorruptSnapshot);
  BOOST_CHECK_THROW(load({0, 0}, {1}, 66), CorruptSnapshot);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
