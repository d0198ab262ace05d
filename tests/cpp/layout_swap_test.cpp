// A new layout, of all rows or the young ones, takes the place of the old one while rows come and go: nothing is lost or comes back, and no call does more
// of the work than it was asked for.
#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <vector>

#include "support/records.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(layout_swap)

constexpr size_t kDim = 24;

// A table beside the set of its rows. Slots are used again as the user's columns use them: not while a layout is built.
struct Rows {
  std::mt19937 random{3};
  VectorTable table{kDim};
  std::set<Slot> live;
  std::vector<Slot> free;
  Slot next = 0;

  void add() {
    Slot slot = next;
    if (!free.empty() && !table.pinned()) {
      slot = free.back();
      free.pop_back();
    } else {
      ++next;
    }
    table.add(slot, static_cast<Micros>(random() % 50), test::random_vector(kDim, random));
    live.insert(slot);
  }
  void remove() {
    if (live.empty()) return;
    const auto gone = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
    table.remove(*gone);
    free.push_back(*gone);
    live.erase(gone);
  }
  void change(size_t times) {
    for (size_t i = 0; i < times; ++i) random() % 3 == 0 ? remove() : add();
  }

  struct Built {
    BuiltLayout layout;
    VectorTable::Places places;
  };
  LayoutScope scope = LayoutScope::all;
  // Young rows alone every second time, once there is a layout.
  void begin() {
    scope = table.layout() != nullptr && random() % 2 == 0 ? LayoutScope::young : LayoutScope::all;
    table.begin_layout(scope);
  }
  Built build() {
    LayoutInput input{kDim};
    for (const Slot slot : live) {
      if (!table.pending(slot)) continue;
      input.slots.push_back(slot);
      input.ats.push_back(static_cast<Micros>(slot));
      input.rows.push_back(table.row(slot));
      input.tags.offsets.push_back(0);
    }
    Built built{plan_layout(input), {}};
    while (!table.copy_places(built.places, 100)) change(5);
    VectorTable::put_places(*built.layout.layout, scope, built.places);
    return built;
  }
  void offer(Built built) {
    table.offer_layout(std::move(built.layout.layout), std::move(built.places), built.layout.max_scale);
  }

  void catch_up_with_all() {
    while (!table.catch_up(10)) continue;
    while (!table.erase_removed(10)) continue;
  }

  // Every row finds itself, the others are nowhere and zero, and the layout knows how many of its rows are dead.
  void check() {
    BOOST_TEST(table.count() == live.size());
    VectorScratch scratch;
    std::vector<float> buffer;
    for (Slot slot = 0; slot < next; ++slot) {
      BOOST_REQUIRE(table.has(slot) == live.contains(slot));
      if (!table.has(slot)) continue;
      VectorSearchStats stats;
      const float* const own = table.floats(slot, buffer).data();
      table.nearest_of(own, 1, std::span(&slot, 1), scratch, stats);
      BOOST_REQUIRE(scratch.rescored.size() == 1u);
      BOOST_TEST(scratch.rescored[0].score > 0.999f);
      table.nearest(own, 1, 0.999f, {}, scratch, stats);
      BOOST_REQUIRE(!scratch.rescored.empty());
      for (const Candidate& found : scratch.rescored) BOOST_TEST(live.contains(found.slot));
    }
    size_t laid_out = 0;
    for (const ClusterLayout* const layout : {table.layout(), table.young_layout()}) {
      if (layout == nullptr) continue;
      size_t dead = 0;
      for (uint32_t p = 0; p < layout->size; ++p) dead += layout->rows.slot(p) == kNoSlot;
      BOOST_TEST(layout->dead == dead);
      laid_out += layout->size - dead;
    }
    BOOST_TEST(laid_out + table.fresh_rows() == live.size());
  }
  bool erased(Slot slot) const {
    const RowStore rows = table.pin_rows();
    return std::all_of(rows.row(slot), rows.row(slot) + table.shape().bytes(), [](std::byte byte) { return byte == std::byte{0}; });
  }
};

BOOST_FIXTURE_TEST_CASE(changes_at_every_stage_survive_the_swap, Rows) {
  change(900);
  int young = 0;
  for (int round = 0; round < 12; ++round) {
    change(200);
    begin();
    young += scope == LayoutScope::young;
    change(150);
    Built built = build();
    change(150);
    offer(std::move(built));
    do {
      change(7);
    } while (!table.catch_up(5) || !table.erase_removed(5));
    change(20);
    check();
    const bool had_young = table.young_layout() != nullptr;
    const VectorTable::Retired retired = table.install_layout();
    BOOST_TEST((retired.layout != nullptr) == (scope == LayoutScope::all ? round > 0 : had_young));
    BOOST_TEST((table.young_layout() != nullptr) == (scope == LayoutScope::young));
    BOOST_TEST(!table.pinned());
    check();
    for (const Slot slot : free) BOOST_REQUIRE(erased(slot));
  }
  BOOST_TEST(young > 2);
  BOOST_TEST(young < 10);
}

BOOST_FIXTURE_TEST_CASE(a_layout_that_is_not_used_leaves_the_old_one, Rows) {
  change(900);
  for (const bool offered : {false, true}) {
    table.begin_layout();
    change(300);
    if (offered) offer(build());
    change(300);
    catch_up_with_all();
    const VectorTable::Retired retired = table.abandon_layout();
    BOOST_TEST((retired.layout != nullptr) == offered);
    BOOST_TEST(!table.pinned());
    check();
    for (const Slot slot : free) BOOST_REQUIRE(erased(slot));
  }
}

BOOST_FIXTURE_TEST_CASE(what_came_after_an_abandoned_layout_survives_the_next, Rows) {
  change(900);
  for (int round = 0; round < 8; ++round) {
    begin();
    change(200);
    catch_up_with_all();
    table.abandon_layout();
    change(200);
    begin();
    change(round % 2 == 0 ? 0 : 100);
    offer(build());
    catch_up_with_all();
    table.install_layout();
    check();
  }
}

// What holds up searches: the work under the lock must not grow with what was written in the meantime.
BOOST_FIXTURE_TEST_CASE(a_call_catches_up_with_no_more_than_it_was_asked_for, Rows) {
  change(900);
  for (const size_t written : {100u, 3000u}) {
    table.begin_layout();
    const Slot first = next;
    std::vector<Slot> gone;
    for (size_t i = 0; i < written; ++i) add();
    for (Slot slot = first; slot < first + written; ++slot) {
      table.remove(slot);
      live.erase(slot);
      gone.push_back(slot);
    }
    offer(build());
    // Each was added, removed, and is to be overwritten.
    const auto left = [&] { return std::count_if(gone.begin(), gone.end(), [&](Slot slot) { return !erased(slot); }); };
    size_t calls = 1;
    while (!table.catch_up(20)) ++calls;
    BOOST_TEST(calls == 2 * written / 20);
    BOOST_TEST(left() == static_cast<std::ptrdiff_t>(written));
    for (bool done = false; !done;) {
      const auto before = left();
      done = table.erase_removed(20);
      BOOST_REQUIRE(before - left() <= 20);
    }
    BOOST_TEST(left() == 0);
    table.install_layout();
    check();
  }
}

// A writer makes the memory for many rows before it is needed, and without the lock.
BOOST_AUTO_TEST_CASE(large_chunks_of_rows_are_made_ahead) {
  constexpr size_t kRow = 1536;
  const RowChunks chunks(kRow);
  const size_t first_large = 8 * chunks.large_rows();
  RowStore rows(kRow);
  rows.grow(first_large - RowStore::kFewLeft);
  BOOST_TEST(!rows.wants_spare());
  rows.grow(first_large - RowStore::kFewLeft + 1);
  BOOST_TEST(rows.wants_spare());
  BOOST_TEST(rows.next_chunk() == 0u);

  RowStore::ChunkMemory spare = RowStore::make_spare(rows.spare_bytes());
  const std::byte* const memory = spare->data();
  const size_t bytes = rows.bytes();
  rows.take_spare(spare);
  BOOST_TEST(!rows.wants_spare());
  BOOST_TEST(rows.bytes() == bytes + rows.spare_bytes());
  RowStore::ChunkMemory another = RowStore::make_spare(rows.spare_bytes());
  rows.take_spare(another);
  BOOST_TEST(another != nullptr);
  rows.grow(first_large + 1);
  BOOST_TEST(rows.row(static_cast<Slot>(first_large)) == memory);
  BOOST_TEST(!rows.wants_spare());
}

// A batch leaves no room idle in the last chunk; one more row makes it whole.
BOOST_AUTO_TEST_CASE(a_batch_gets_the_rows_that_it_needs) {
  constexpr size_t kRow = 1536;
  const RowChunks chunks(kRow);
  const auto byte_of = [](size_t slot) { return static_cast<std::byte>(slot % 251); };
  const auto fill = [&](RowStore& rows, size_t slots) {
    for (size_t slot = rows.size(); slot < slots; ++slot) {
      rows.grow(slot + 1);
      std::fill_n(rows.row(static_cast<Slot>(slot)), kRow, byte_of(slot));
    }
  };
  const auto added = [&](RowStore& rows, size_t slots) {
    rows.expect(slots);
    fill(rows, rows.size() + slots);
    return rows.room();
  };
  // Chunks of 32 rows end at 992 and 1024.
  for (const auto& [first, room] : {std::pair<size_t, size_t>{1010, 1010}, {1000, 1000}, {993, 993}, {1024, 1024}, {1, 1}, {2, 2}, {7, 7}}) {
    RowStore rows(kRow);
    BOOST_TEST(added(rows, first) == room, "rows: " << first);
    fill(rows, 1030);
    BOOST_TEST(rows.room() == 1088u);
    BOOST_TEST(added(rows, 150) == 1180u);
    for (Slot slot = 0; slot < rows.size(); ++slot) BOOST_REQUIRE((rows.row(slot)[3] == byte_of(slot)));
  }
  RowStore large(kRow);  // what would have to be moved takes too long
  large.expect(9 * chunks.large_rows() - 1);
  large.grow(9 * chunks.large_rows() - 1);
  BOOST_TEST(large.room() == 9 * chunks.large_rows());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
