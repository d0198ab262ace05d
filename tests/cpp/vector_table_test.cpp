#include "vectors/vector_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <numeric>
#include <random>

#include "support/body.hpp"
#include "support/columns.hpp"
#include "support/row_scan.hpp"
#include "support/records.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(vector_table)

using test::random_vector;

struct Bits {
  Slot slot;
  uint32_t score;
  friend bool operator==(const Bits&, const Bits&) = default;
};

std::vector<Bits> take_bits(TopK& best) {
  std::vector<Bits> bits;
  for (const Candidate& candidate : best.take()) bits.push_back({candidate.slot, std::bit_cast<uint32_t>(candidate.score)});
  return bits;
}

struct Fixture {
  std::mt19937 random{1};
  test::Columns columns;
  std::vector<std::vector<float>> given;  // empty: none
  RowFormat format = RowFormat::float32;

  // Runs the test anew for each format of rows.
  template <typename Test>
  void in_each_format(Test test) {
    for (const RowFormat each : {RowFormat::float32, RowFormat::bfloat16}) {
      BOOST_TEST_CONTEXT(row_format_name(each)) {
        format = each;
        columns = {};
        given.clear();
        test();
      }
    }
  }

  VectorTable fill(size_t dim, size_t count, bool all_present) {
    VectorTable table(RowShape(dim, format));
    for (size_t i = 0; i < count; ++i) {
      const Slot slot = columns.add(static_cast<Micros>(random() % 5), "r" + std::to_string(i));
      std::vector<float> vector;
      // Some rows are equal, so that their scores tie.
      if (i > 0 && random() % 4 == 0) {
        vector = given[random() % i];
      } else {
        vector = random_vector(dim, random);
      }
      if (!all_present && random() % 5 == 0) vector.clear();
      table.add(slot, columns.ats[slot], vector);
      given.push_back(vector);
    }
    return table;
  }
  std::vector<float> unit_query(size_t dim) {
    std::vector<float> query = random_vector(dim, random);
    normalize(query, query.data());
    return query;
  }
};

BOOST_FIXTURE_TEST_CASE(scan_masked_and_gather_give_the_same_bits, Fixture) {
  in_each_format([&] {
    for (const size_t dim : {1u, 7u, 64u, 384u}) {
      columns = {};
      given.clear();
      const VectorTable table = fill(dim, 700, dim == 64);
      const std::vector<float> query = unit_query(dim);
      for (const size_t k : {1u, 10u, 1000u}) {
        Bitset everything;
        everything.assign(700, true);
        std::vector<Slot> slots;
        everything.for_each([&](Slot slot) { slots.push_back(slot); });
        TopK scanned(k, columns.recency());
        TopK masked(k, columns.recency());
        TopK gathered(k, columns.recency());
        test::scan(table, query.data(), k, nullptr, scanned);
        test::scan(table, query.data(), k, &everything, masked);
        test::gather(table, query.data(), k, slots, gathered);
        const std::vector<Bits> wanted = take_bits(scanned);
        BOOST_TEST(wanted.size() == std::min<size_t>(k, table.count()));
        BOOST_TEST((take_bits(masked) == wanted));
        BOOST_TEST((take_bits(gathered) == wanted));
      }
    }
  });
}

BOOST_FIXTURE_TEST_CASE(a_mask_and_a_list_of_slots_select_the_same, Fixture) {
  in_each_format([&] {
    const VectorTable table = fill(48, 900, false);
    const std::vector<float> query = unit_query(48);
    for (const unsigned share : {2u, 10u, 100u}) {
      Bitset allowed;
      allowed.assign(900, false);
      std::vector<Slot> slots;
      for (Slot slot = 0; slot < 900; ++slot) {
        if (random() % share != 0) continue;
        allowed.set(slot);
        slots.push_back(slot);
      }
      TopK masked(50, columns.recency());
      TopK gathered(50, columns.recency());
      test::scan(table, query.data(), 50, &allowed, masked);
      test::gather(table, query.data(), 50, slots, gathered);
      const std::vector<Bits> wanted = take_bits(masked);
      for (const Bits& hit : wanted) BOOST_TEST((allowed.test(hit.slot) && table.has(hit.slot)));
      BOOST_TEST((take_bits(gathered) == wanted));
    }
  });
}

BOOST_FIXTURE_TEST_CASE(scores_are_cosines, Fixture) {
  in_each_format([&] {
    const VectorTable table = fill(33, 100, false);
    std::vector<float> query = random_vector(33, random);
    const std::vector<float> raw = query;
    normalize(query, query.data());
    TopK best(100, columns.recency());
    test::scan(table, query.data(), 100, nullptr, best);
    for (const Candidate& candidate : best.take()) {
      double dot = 0.0;
      double a = 0.0;
      double b = 0.0;
      for (size_t i = 0; i < 33; ++i) {
        const auto x = static_cast<double>(raw[i]);
        const auto y = static_cast<double>(given[candidate.slot][i]);
        dot += x * y;
        a += x * x;
        b += y * y;
      }
      BOOST_TEST(std::abs(static_cast<double>(candidate.score) - dot / std::sqrt(a * b)) < (format == RowFormat::float32 ? 1e-5 : 1.0 / 256));
    }
  });
}

BOOST_FIXTURE_TEST_CASE(a_removed_row_is_zero_and_never_found, Fixture) {
  in_each_format([&] {
    VectorTable table = fill(8, 20, true);
    table.remove(3);
    table.remove(3);
    BOOST_TEST(table.count() == 19u);
    BOOST_TEST(!table.has(3));
    std::vector<float> buffer;
    for (float value : table.floats(3, buffer)) BOOST_TEST(value == 0.0f);
    TopK best(20, columns.recency());
    test::scan(table, given[3].data(), 20, nullptr, best);
    for (const Candidate& candidate : best.take()) BOOST_TEST(candidate.slot != 3u);
  });
}

BOOST_FIXTURE_TEST_CASE(save_and_load_keep_every_bit, Fixture) {
  in_each_format([&] {
    VectorTable table = fill(17, 40, false);
    std::vector<Slot> live;
    for (Slot slot = 0; slot < 40; ++slot) {
      if (slot % 3 == 0) {
        table.remove(slot);
      } else {
        live.push_back(slot);
      }
    }
    std::vector<Slot> saved = live;  // those with a vector first
    std::stable_partition(saved.begin(), saved.end(), [&](Slot slot) { return table.has(slot); });
    std::vector<Micros> ats;
    for (const Slot slot : saved) ats.push_back(columns.ats[slot]);
    ByteWriter out;
    test::BodyBuffer body;
    table.save(out, body, saved);
    VectorTable loaded(RowShape(17, format));
    ByteReader in(out.bytes(), "file", 0);
    loaded.load(in, body.map(), PackedValues<Micros>(ats));
    BOOST_TEST(in.left() == 0u);
    BOOST_TEST(loaded.count() == table.count());
    for (Slot slot = 0; slot < live.size(); ++slot) {
      BOOST_TEST(loaded.has(slot) == table.has(saved[slot]));
      if (!table.has(saved[slot])) continue;
      const std::byte* const wanted = table.row(saved[slot]);
      BOOST_TEST(std::equal(wanted, wanted + table.shape().bytes(), loaded.row(slot)));
    }
  });
}

// A slot that was removed takes another record, which is found and whose predecessor is not.
BOOST_FIXTURE_TEST_CASE(slots_are_used_again, Fixture) {
  in_each_format([&] {
    VectorTable table = fill(16, 60, true);
    for (Slot slot = 10; slot < 30; ++slot) {
      table.remove(slot);
      given[slot] = slot % 2 == 0 ? random_vector(16, random) : std::vector<float>();
      table.add(slot, columns.ats[slot], given[slot]);
    }
    BOOST_TEST(table.count() == 50u);
    const std::vector<float> query = unit_query(16);
    TopK exact(60, columns.recency());
    test::scan(table, query.data(), 60, nullptr, exact);
    VectorScratch scratch;
    VectorSearchStats stats;
    table.nearest(query.data(), 60, 0.995f, {}, scratch, stats);
    TopK approximate(60, columns.recency());
    for (const Candidate& hit : scratch.rescored) approximate.offer(hit.score, hit.slot);
    const std::vector<Bits> wanted = take_bits(exact);
    BOOST_TEST(wanted.size() == 50u);
    BOOST_TEST((take_bits(approximate) == wanted));
  });
}

// Without a layout every row is scanned, so that only rounding to codes could lose a hit: the margin makes up for it.
BOOST_FIXTURE_TEST_CASE(nearest_fresh_rows_are_those_of_an_exact_scan, Fixture) {
  in_each_format([&] {
    for (const size_t dim : {1u, 3u, 16u, 100u, 384u}) {
      columns = {};
      given.clear();
      const VectorTable table = fill(dim, 1500, false);
      for (int round = 0; round < 5; ++round) {
        const std::vector<float> query = unit_query(dim);
        Bitset allowed;
        allowed.assign(1500, false);
        std::vector<Slot> slots;
        for (Slot slot = 0; slot < 1500; ++slot) {
          if (random() % 3 != 0) continue;
          allowed.set(slot);
          slots.push_back(slot);
        }
        const std::vector<Interval> some_time = {{1, 2}, {3, 5}};
        const auto in_time = [&](Slot slot) { return columns.ats[slot] == 1 || columns.ats[slot] >= 3; };
        Bitset timely;
        timely.assign(1500, false);
        for (Slot slot = 0; slot < 1500; ++slot) {
          if (in_time(slot)) timely.set(slot);
        }
        VectorScratch scratch;
        const auto check = [&](const Bitset* exact_mask, auto search) {
          VectorSearchStats stats;
          search(stats);
          TopK exact(10, columns.recency());
          test::scan(table, query.data(), 10, exact_mask, exact);
          TopK approximate(10, columns.recency());
          for (const Candidate& hit : scratch.rescored) approximate.offer(hit.score, hit.slot);
          BOOST_TEST((take_bits(approximate) == take_bits(exact)));
        };
        check(nullptr, [&](auto& stats) { table.nearest(query.data(), 10, 0.9f, {}, scratch, stats); });
        check(&allowed, [&](auto& stats) { table.nearest(query.data(), 10, 0.9f, {.admitted = &allowed}, scratch, stats); });
        check(&allowed, [&](auto& stats) { table.nearest_of(query.data(), 10, slots, scratch, stats); });
        check(&timely, [&](auto& stats) { table.nearest(query.data(), 10, 0.9f, {.intervals = some_time}, scratch, stats); });
      }
    }
  });
}

// Damage anywhere in the body is noticed by whatever reads it, and by nothing else; a row that is not of length 1 is
// damage too, whatever its checksum says.
BOOST_FIXTURE_TEST_CASE(damaged_rows_and_codes_are_noticed_when_they_are_read, Fixture) {
  in_each_format([&] {
    constexpr size_t kRows = 200;
    const VectorTable table = fill(40, kRows, true);
    std::vector<Slot> live(kRows);
    std::iota(live.begin(), live.end(), Slot{0});
    std::vector<Micros> ats;
    for (const Slot slot : live) ats.push_back(columns.ats[slot]);
    ByteWriter out;
    test::BodyBuffer body;
    table.save(out, body, live);
    const std::string sound = body.bytes();
    const size_t codes_begin = sound.size() - kRows * code_stride(40);
    std::vector<std::vector<float>> queries;
    for (int i = 0; i < 5; ++i) queries.push_back(unit_query(40));

    for (int round = 0; round < 60; ++round) {
      body.bytes() = sound;
      const bool in_codes = round % 2 == 0;
      const size_t place = in_codes ? codes_begin + random() % (sound.size() - codes_begin) : random() % (kRows * table.shape().bytes());
      body.bytes()[place] = static_cast<char>(body.bytes()[place] ^ (1 << (random() % 8)));
      VectorTable loaded(RowShape(40, format));
      ByteReader in(out.bytes(), "file", 0);
      loaded.load(in, body.map(), PackedValues<Micros>(ats));  // reads nothing of the body
      VectorScratch scratch;
      VectorSearchStats stats;
      const auto search = [&](const std::vector<float>& query) { loaded.nearest(query.data(), 10, 1.0f, {}, scratch, stats); };
      const Slot slot = static_cast<Slot>(in_codes ? 0 : place / table.shape().bytes());
      if (in_codes) {
        BOOST_CHECK_THROW(search(queries[0]), CorruptSnapshot);
      } else {
        BOOST_CHECK_THROW(loaded.row(slot), CorruptSnapshot);
        BOOST_CHECK_THROW(loaded.check(slot), CorruptSnapshot);
        BOOST_CHECK_THROW(loaded.add(slot, 0, queries[0]), CorruptSnapshot);
        TopK best(kRows, columns.recency());
        BOOST_CHECK_THROW(test::scan(loaded, queries[0].data(), kRows, nullptr, best), CorruptSnapshot);
      }
      BOOST_CHECK_THROW(loaded.check_all(), CorruptSnapshot);
      ByteWriter again;
      test::BodyBuffer again_body;
      BOOST_CHECK_THROW(loaded.save(again, again_body, live), CorruptSnapshot);
      // An erasure cannot fail; what was damaged stays so.
      loaded.remove(slot);
      if (in_codes) {
        BOOST_CHECK_THROW(search(queries[0]), CorruptSnapshot);
      } else {
        BOOST_CHECK_THROW(loaded.row(slot), CorruptSnapshot);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(rows_that_are_not_unit_vectors_are_refused) {
  for (const RowShape& shape : {RowShape(2), RowShape(2, RowFormat::bfloat16)}) {
    for (const float value : {0.5f, 2.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
      ByteWriter out;
      test::BodyBuffer body;
      StoredRows::save(out, body, 1, shape.bytes(), [&](size_t, std::byte* row) {
        const std::array<float, 2> values = {value, 0.0f};
        shape.write(values.data(), row);
      });
      out.put<uint8_t>(0);
      out.put<uint64_t>(1);
      out.put<Slot>(0);
      out.put<float>(0.005f);
      StoredRows::save(out, body, 1, code_stride(2), [](size_t, std::byte* row) { std::memset(row, kZeroCode, code_stride(2)); });
      VectorTable table(shape);
      const std::vector<Micros> ats = {0};
      ByteReader in(out.bytes(), "file", 0);
      table.load(in, body.map(), PackedValues<Micros>(ats));
      BOOST_TEST(in.left() == 0u);
      BOOST_CHECK_THROW(table.row(0), CorruptSnapshot);
      VectorScratch scratch;
      VectorSearchStats stats;
      const std::array<float, 2> query = {1.0f, 0.0f};
      BOOST_CHECK_THROW(table.nearest(query.data(), 1, 1.0f, {}, scratch, stats), CorruptSnapshot);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
