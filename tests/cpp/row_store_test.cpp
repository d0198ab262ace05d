// Rows that are pinned stay where they are, whatever becomes of the store.
#include "vectors/row_store.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "index/consolidation.hpp"
#include "support/records.hpp"
#include "vectors/layout_builder.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(row_store)

constexpr size_t kDim = 16;  // so that the last chunk of some hundred rows is small enough to be fitted
constexpr size_t kRowBytes = kDim * sizeof(float);

std::byte byte_of(Slot slot) { return static_cast<std::byte>(slot % 251); }

BOOST_AUTO_TEST_CASE(a_last_chunk_that_was_fitted_moves_and_its_pinned_rows_stay) {
  RowStore rows(kRowBytes);
  constexpr Slot kRows = 700;
  rows.expect(kRows);
  rows.grow(kRows);
  for (Slot slot = 0; slot < kRows; ++slot) std::fill_n(rows.row(slot), kRowBytes, byte_of(slot));
  rows.fit();
  const RowStore pinned = rows.pin();
  const std::byte* const last = pinned.row(kRows - 1);
  Slot more = kRows;
  while (rows.row(kRows - 1) == last) {
    rows.grow(++more);
    BOOST_REQUIRE(more < 2 * kRows);
  }
  std::fill_n(rows.row(kRows - 1), kRowBytes, std::byte{0xff});
  BOOST_TEST(pinned.size() == kRows);
  BOOST_TEST(pinned.row(kRows - 1) == last);
  for (Slot slot = 0; slot < kRows; ++slot) BOOST_REQUIRE((pinned.row(slot)[kRowBytes - 1] == byte_of(slot)));
}

BOOST_AUTO_TEST_CASE(rows_lie_where_they_are_put) {
  for (const size_t row_bytes : {12u, 1024u, 40'000u}) {
    BOOST_TEST_CONTEXT("bytes of a row: " << row_bytes) {
      RowStore rows(row_bytes);
      const size_t count = 40'000'000 / row_bytes;
      for (Slot slot = 0; slot < count; ++slot) {
        if (slot % 1000 == 0) rows.expect(1000);
        rows.grow(slot + size_t{1});
        std::fill_n(rows.row(slot), row_bytes, byte_of(slot));
        if (slot % 777 == 0) rows.fit();
      }
      size_t wrong = 0;
      for (Slot first = 0; first < count;) {
        const size_t run = rows.run(first);
        BOOST_REQUIRE(run > 0u);
        for (size_t i = 0; i < run; ++i) {
          const std::byte* const row = rows.row(first) + i * row_bytes;
          wrong += row[0] != byte_of(first + static_cast<Slot>(i)) || std::memcmp(row, row + 1, row_bytes - 1) != 0;
        }
        first += static_cast<Slot>(run);
      }
      BOOST_TEST(wrong == 0u);
      BOOST_TEST(rows.bytes() >= count * row_bytes);
      BOOST_TEST(rows.bytes() <= count * row_bytes * 9 / 8);
    }
  }
}

// As a consolidation does it, which lets writes through between its slices.
BOOST_AUTO_TEST_CASE(rows_are_collected_while_others_come) {
  std::mt19937 random(5);
  UserColumns columns(kDim);
  Slot next = 0;
  const auto add = [&] {
    columns.tags.add_record(next, {});
    columns.vectors.add(next, next, test::random_vector(kDim, random));
    columns.ats.resize(++next);
  };
  const auto collect = [&](auto between) {
    LayoutInput input{kDim};
    columns.vectors.begin_layout();
    const RowStore pinned = columns.vectors.pin_rows();
    const auto half = static_cast<Slot>(pinned.size()) - 20;
    collect_rows(columns, pinned, 0, half, input);
    between();
    collect_rows(columns, pinned, half, static_cast<Slot>(pinned.size()), input);
    std::vector<std::vector<float>> found;
    for (size_t i = 0; i < input.rows.size(); ++i) {
      const float* const row = input.rows.floats(i, nullptr);
      found.emplace_back(row, row + kDim);
    }
    BuiltLayout built = plan_layout(input);
    VectorTable::Places places;
    places.resize(next, VectorTable::kNowhere);
    for (uint32_t p = 0; p < built.layout->size; ++p) places[built.layout->rows.slot(p)] = p;
    columns.vectors.offer_layout(std::move(built.layout), std::move(places), built.max_scale);
    columns.vectors.install_layout();
    return std::pair(std::move(found), std::move(input));
  };
  constexpr Slot kRows = 700;
  columns.vectors.expect(kRows);
  for (Slot i = 0; i < kRows; ++i) add();
  collect([] {});
  const std::byte* const before = columns.vectors.row(kRows - 50);
  const auto [found, input] = collect([&] {
    for (int i = 0; i < 60; ++i) add();
  });
  BOOST_TEST(columns.vectors.row(kRows - 50) != before);
  BOOST_TEST(input.slots.size() == kRows);
  std::vector<float> buffer;
  for (size_t i = 0; i < input.slots.size(); ++i) {
    const std::span<const float> row = columns.vectors.floats(input.slots[i], buffer);
    BOOST_REQUIRE(std::equal(row.begin(), row.end(), found[i].begin()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
