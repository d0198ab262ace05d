// Rows that are ruled out by 128 numbers of four bits each: what they bound, what a search still finds, and where they are kept.
#include "vectors/short_rows.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "memspan/consolidation.hpp"
#include "support/amount.hpp"
#include "support/body.hpp"
#include "support/clustered.hpp"
#include "support/columns.hpp"
#include "support/records.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/short_rows_builder.hpp"
#include "vectors/unit_vector.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(short_rows)

constexpr size_t kDim = 384;

// Vectors that differ most in a hundred directions, which no blocks can tell apart.
struct Graded {
  std::mt19937 random{7};

  std::vector<float> vector() {
    std::vector<float> vector = test::random_vector(kDim, random);
    for (size_t d = 100; d < kDim; ++d) vector[d] *= 0.2f;
    normalize(vector, vector.data());
    return vector;
  }
  std::vector<std::vector<float>> vectors(size_t count) {
    std::vector<std::vector<float>> vectors;
    for (size_t i = 0; i < count; ++i) vectors.push_back(vector());
    return vectors;
  }
};

RowList pointers(const std::vector<std::vector<float>>& vectors) {
  RowList rows{vectors.front().size()};
  for (const auto& vector : vectors) rows.push_back(vector.data());
  return rows;
}

float cosine(const std::vector<float>& a, const std::vector<float>& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f); }

// Of all rows.
std::vector<float> scores(const ShortRows& shorts, const ShortRows::Query& query, size_t rows) {
  std::vector<float> scores(ShortRows::groups(rows) * ShortRows::kSideBySide);
  shorts.score(query, 0, rows, scores.data());
  scores.resize(rows);
  return scores;
}

BOOST_FIXTURE_TEST_CASE(with_all_that_is_open_nothing_is_ruled_out_that_is_near, Graded) {
  constexpr float kRounding = 0.05f;  // 100 numbers to a thirtieth of their range
  const auto given = vectors(500);
  const auto shorts = shorten_rows(pointers(given), random);
  size_t ruled_out = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<float> asked = i % 2 == 0 ? vector() : given[random() % given.size()];
    const ShortRows::Query query = shorts->query(asked.data(), 1.0f);
    const float least = 0.3f + 0.02f * static_cast<float>(i);
    const std::vector<float> scored = scores(*shorts, query, given.size());
    for (size_t p = 0; p < given.size(); ++p) {
      const bool out = scored[p] < ShortRows::least_score(query, least - kRounding);
      if (cosine(asked, given[p]) >= least) BOOST_REQUIRE(!out);
      ruled_out += out;
    }
  }
  BOOST_TEST(ruled_out > 1000u);
}

BOOST_FIXTURE_TEST_CASE(scores_are_products_and_those_of_some_rows_those_of_all, Graded) {
  const auto given = vectors(333);
  const auto shorts = shorten_rows(pointers(given), random);
  constexpr float kShare = 0.3f;
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> asked = vector();
    const ShortRows::Numbers numbers = shorts->numbers_of_query(asked.data(), 1.0f);
    const ShortRows::Query query = shorts->query(asked.data(), kShare);
    const std::vector<float> all = scores(*shorts, query, given.size());
    for (uint32_t p = 0; p < given.size(); ++p) {
      const ShortRows::Product product = shorts->product(numbers, p);
      const float score = product.coordinates + kShare * product.open;
      if (std::binary_search(shorts->apart().begin(), shorts->apart().end(), p)) {
        BOOST_REQUIRE(all[p] == std::numeric_limits<float>::max());
        BOOST_REQUIRE(score > 1.1f);
        continue;
      }
      BOOST_REQUIRE(std::abs(all[p] - ShortRows::least_score(query, score)) < 0.01f / query.step);
    }
    std::vector<float> some(ShortRows::groups(given.size()) * ShortRows::kSideBySide, -1.5f);
    const size_t first = random() % given.size();
    const size_t last = first + random() % (given.size() - first + 1);
    shorts->score(query, first, last, some.data());
    for (size_t p = first; p < last; ++p) BOOST_REQUIRE(some[p] == all[p]);
    for (size_t p = 0; p + ShortRows::kSideBySide <= first; ++p) BOOST_REQUIRE(some[p] == -1.5f);
    for (size_t p = last + ShortRows::kSideBySide; p < some.size(); ++p) BOOST_REQUIRE(some[p] == -1.5f);
  }
}

// Directions and ranges are those of rows that were there before.
BOOST_FIXTURE_TEST_CASE(rows_that_the_codes_do_not_stand_for_are_kept_apart, Graded) {
  std::vector<std::vector<float>> given = vectors(3000);
  const auto before = shorten_rows(pointers(given), random);
  const std::vector<float>& directions = before->directions().rows;
  const std::vector<float> asked(directions.begin(), directions.begin() + kDim);
  const std::vector<uint32_t> odd = {3, 1001, 1002, 2999};
  for (const uint32_t i : odd) {  // far along one direction
    for (size_t d = 0; d < kDim; ++d) given[i][d] = 0.1f * given[i][d] + asked[d];
    normalize(given[i], given[i].data());
  }
  const auto shorts = shorten_rows(*before, pointers(given));
  BOOST_TEST(std::includes(shorts->apart().begin(), shorts->apart().end(), odd.begin(), odd.end()));
  BOOST_TEST(shorts->apart().size() < given.size() / 100);
  const ShortRows::Query query = shorts->query(asked.data(), 0.1f);
  const std::vector<float> scored = scores(*shorts, query, given.size());
  for (const uint32_t i : odd) BOOST_TEST(scored[i] >= ShortRows::least_score(query, 0.95f));
  // Blocks end within groups.
  std::vector<float> by_blocks(ShortRows::groups(given.size()) * ShortRows::kSideBySide);
  for (size_t first = 0; first < given.size();) {
    const size_t last = std::min(given.size(), first + 1 + random() % 50);
    shorts->score(query, first, last, by_blocks.data());
    first = last;
  }
  by_blocks.resize(given.size());
  BOOST_TEST((by_blocks == scored));
}

BOOST_FIXTURE_TEST_CASE(what_is_erased_is_zero, Graded) {
  const auto given = vectors(40);
  const auto shorts = shorten_rows(pointers(given), random);
  const auto before = shorts->codes(21);
  shorts->erase(20);
  for (const uint8_t code : shorts->codes(20)) BOOST_TEST(code == 0);
  BOOST_TEST((shorts->codes(21) == before));
}

// An index with one user, whom a search would have to read nearly whole without them.
struct Stored : Graded {
  Index index{IndexConfig{.dim = kDim}};
  int next = 0;

  void add(size_t count) {
    std::vector<test::Item> items;
    for (size_t i = 0; i < count; ++i) {
      test::Item item{.id = "r" + std::to_string(next++), .at = static_cast<Micros>(random() % 1000), .text = "word"};
      if (next % 3 == 0) item.tags = {"third"};
      item.embedding = vector();
      items.push_back(item);
    }
    test::add(index, items);
  }
  struct Looked {
    double recall = 0.0;
    double rows_read = 0.0;
    double short_rows_read = 0.0;
  };
  enum class Filter { none, time, tag };
  static Looked look(const Index& index, Graded& graded, uint32_t k, Filter filter) {
    constexpr int kQueries = test::amount(60);
    Looked looked;
    for (int i = 0; i < kQueries; ++i) {
      Query query{.user = "ana", .embedding = graded.vector(), .k = k, .explain = true};
      if (filter == Filter::time) query.between = {{{0, 450}, {460, 900}}};
      if (filter == Filter::tag) query.require_tags = {"third"};
      Query exact = query;
      exact.exact = true;
      std::set<std::string> truth;
      for (const Hit& hit : index.search(exact).hits) truth.insert(hit.id);
      const SearchResult result = index.search(query);
      size_t found = 0;
      std::set<std::string> ids;
      for (const Hit& hit : result.hits) {
        found += truth.contains(hit.id);
        BOOST_REQUIRE_MESSAGE(ids.insert(hit.id).second, hit.id << " comes twice");
      }
      looked.recall += static_cast<double>(found) / static_cast<double>(truth.size()) / kQueries;
      looked.rows_read += result.explanation->rows_read / double{kQueries};
      looked.short_rows_read += result.explanation->short_rows_read / double{kQueries};
    }
    return looked;
  }
  Looked look(uint32_t k, Filter filter = Filter::none) { return look(index, *this, k, filter); }
};

BOOST_FIXTURE_TEST_CASE(a_search_reads_less_and_finds_the_same, Stored, *boost::unit_test::label("long_under_asan")) {
  add(12000);
  index.consolidate("ana", true);
  for (const uint32_t k : {1u, 10u, 40u, 150u, 400u}) {
    const Looked looked = look(k);
    BOOST_TEST_MESSAGE(k << " " << looked.recall << " " << looked.rows_read << " " << looked.short_rows_read);
    BOOST_TEST(looked.recall >= 0.99);
    BOOST_TEST(looked.short_rows_read > 0.0);
    BOOST_TEST(looked.rows_read < 2000.0);
  }
  for (const Filter filter : {Filter::time, Filter::tag}) {
    const Looked looked = look(10, filter);
    BOOST_TEST_MESSAGE("filtered " << looked.recall << " " << looked.rows_read << " " << looked.short_rows_read);
    BOOST_TEST(looked.recall >= 0.99);
    if (filter == Filter::time) BOOST_TEST(looked.short_rows_read > 0.0);
  }
}

// What lies along the directions is what they know of a query, however low it scores.
BOOST_FIXTURE_TEST_CASE(questions_that_are_near_no_row_are_asked_of_them_if_directions_cover_them, Stored) {
  const std::vector<float> common = vector();
  std::vector<test::Item> items;
  for (int i = 0; i < 6000; ++i) {
    items.push_back({.id = std::to_string(i), .text = "word"});
    items.back().embedding = vector();
    for (size_t d = 0; d < kDim; ++d) items.back().embedding[d] += common[d];
  }
  test::add(index, items);
  index.consolidate("ana", true);
  constexpr int kQueries = 20;
  const auto look_at = [&](auto make) {
    Looked looked;
    for (int i = 0; i < kQueries; ++i) {
      Query query{.user = "ana", .embedding = make(), .k = 10, .explain = true};
      const SearchResult result = index.search(query);
      query.exact = true;
      const SearchResult exact = index.search(query);
      for (const Hit& hit : result.hits) looked.recall += hit.score >= exact.hits.back().score - 1e-5f ? 0.1 / kQueries : 0.0;
      looked.rows_read += result.explanation->rows_read / double{kQueries};
      looked.short_rows_read += result.explanation->short_rows_read / double{kQueries};
    }
    return looked;
  };
  const Looked covered = look_at([&] { return vector(); });
  BOOST_TEST_MESSAGE("covered " << covered.recall << " " << covered.rows_read << " " << covered.short_rows_read);
  BOOST_TEST(covered.recall >= 0.99);
  BOOST_TEST(covered.short_rows_read > 3000.0);
  BOOST_TEST(covered.rows_read < 3000.0);
  const Looked beside = look_at([&] {
    std::normal_distribution<float> normal;
    std::vector<float> query(kDim);
    for (float& value : query) value = normal(random);
    return query;
  });
  BOOST_TEST_MESSAGE("beside " << beside.recall << " " << beside.rows_read << " " << beside.short_rows_read);
  BOOST_TEST(beside.recall >= 0.99);
  BOOST_TEST(beside.short_rows_read == 0.0);
}

BOOST_FIXTURE_TEST_CASE(they_follow_what_comes_and_goes, Stored) {
  add(6000);
  index.consolidate("ana", true);
  for (int i = 0; i < 6000; i += 4) BOOST_REQUIRE(test::remove(index, "ana", {"r" + std::to_string(i)}) == 1u);
  add(1000);
  BOOST_TEST(look(10).recall >= 0.99);
  const ConsolidationReport joined = index.consolidate("ana", false);
  BOOST_TEST(!joined.clustered_anew);
  const Looked looked = look(10);
  BOOST_TEST(looked.recall >= 0.99);
  BOOST_TEST(looked.short_rows_read > 0.0);
}

// The blocks of those that are gone stay when the one that is left is moved.
BOOST_FIXTURE_TEST_CASE(the_one_that_is_left_is_found, Stored) {
  add(6000);
  index.consolidate("ana", true);
  BOOST_TEST(look(1).short_rows_read > 0.0);
  std::vector<std::string> ids;
  for (int i = 0; i < 6000; ++i) {
    if (i != 7) ids.push_back("r" + std::to_string(i));
  }
  BOOST_REQUIRE(index.remove("ana", std::vector<std::string_view>(ids.begin(), ids.end())) == 5999u);
  std::jthread([this] {  // with no scores of searches before
    for (const uint32_t k : {1u, 10u}) BOOST_TEST(look(k).recall >= 0.99);
  }).join();
}

BOOST_FIXTURE_TEST_CASE(few_rows_and_clusters_have_none, Stored) {
  add(1000);
  index.consolidate("ana", true);
  BOOST_TEST(look(10).short_rows_read == 0.0);
  BOOST_TEST(index.forget("ana") == 1000u);
  test::ClusteredVectors clustered(kDim, 100, random);
  std::vector<test::Item> items;
  for (size_t i = 0; i < 6000; ++i) {
    items.push_back({.id = std::to_string(i), .text = "word"});
    items.back().embedding = clustered.near(random());
  }
  test::add(index, items);
  index.consolidate("ana", true);
  const SearchResult found = index.search({.user = "ana", .embedding = clustered.near(3), .explain = true});
  BOOST_TEST(found.explanation->short_rows_read == 0u);
  BOOST_TEST(found.explanation->rows_read < 3000u);
}

// The same as vectors alone, to be saved, loaded and damaged.
struct Table : Graded {
  static constexpr size_t kRows = 6000;
  VectorTable table{kDim};

  Table() {
    LayoutInput input{kDim};
    for (Slot slot = 0; slot < kRows; ++slot) table.add(slot, slot, vector());
    table.begin_layout();
    for (Slot slot = 0; slot < kRows; ++slot) {
      input.slots.push_back(slot);
      input.ats.push_back(slot);
      input.rows.push_back(table.row(slot));
      input.tags.offsets.push_back(0);
    }
    BuiltLayout built = plan_layout(input);
    VectorTable::Places places;
    places.resize(kRows, VectorTable::kNowhere);
    for (uint32_t p = 0; p < built.layout->size; ++p) places[built.layout->rows.slot(p)] = p;
    table.offer_layout(std::move(built.layout), std::move(places), built.max_scale);
    table.install_layout();
  }
  std::vector<Slot> live() const {
    std::vector<Slot> live;
    for (Slot slot = 0; slot < kRows; ++slot) {
      if (table.has(slot)) live.push_back(slot);
    }
    return live;
  }
};

std::vector<Slot> nearest(const VectorTable& table, const std::vector<float>& query) {
  VectorScratch scratch;
  VectorSearchStats stats;
  table.nearest(query.data(), 10, 0.995f, {}, scratch, stats);
  BOOST_TEST(stats.short_rows_read > 0u);
  std::sort(scratch.rescored.begin(), scratch.rescored.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  std::vector<Slot> slots;
  for (size_t i = 0; i < 10; ++i) slots.push_back(scratch.rescored[i].slot);
  return slots;
}

BOOST_FIXTURE_TEST_CASE(they_are_saved_without_the_dead, Table) {
  for (Slot slot = 0; slot < kRows; slot += 7) table.remove(slot);
  const std::vector<Slot> saved = live();
  std::vector<Micros> ats(saved.begin(), saved.end());
  ByteWriter head;
  test::BodyBuffer body;
  table.save(head, body, saved);
  VectorTable loaded(kDim);
  ByteReader in(head.bytes(), "file", 0);
  loaded.load(in, body.map(), PackedValues<Micros>(ats));
  BOOST_TEST(in.left() == 0u);
  BOOST_REQUIRE(loaded.layout()->short_rows);
  BOOST_TEST(loaded.layout()->short_rows->mapped_bytes() == ShortRows::groups(saved.size()) * ShortRows::kGroupBytes);
  BOOST_TEST(loaded.layout()->short_rows->apart().size() > 0u);
  BOOST_TEST(loaded.layout()->short_rows->apart().size() <= table.layout()->short_rows->apart().size());
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> query = vector();
    std::vector<Slot> found = nearest(loaded, query);
    for (Slot& slot : found) slot = saved[slot];
    BOOST_TEST((found == nearest(table, query)));
  }
  ByteWriter head_again;
  test::BodyBuffer body_again;
  std::vector<Slot> same(saved.size());
  std::iota(same.begin(), same.end(), Slot{0});
  loaded.save(head_again, body_again, same);
  BOOST_TEST((head_again.bytes() == head.bytes()));
  BOOST_TEST((body_again.bytes() == body.bytes()));
  // A removal erases them there, too.
  const uint32_t position = [&] {
    for (uint32_t p = 0;; ++p) {
      if (loaded.layout()->rows.slot(p) == 5) return p;
    }
  }();
  loaded.remove(5);
  for (const uint8_t code : loaded.layout()->short_rows->codes(position)) BOOST_REQUIRE(code == 0);
}

BOOST_FIXTURE_TEST_CASE(damage_is_noticed_when_they_are_read, Table) {
  const std::vector<Slot> saved = live();
  std::vector<Micros> ats(saved.begin(), saved.end());
  ByteWriter head;
  test::BodyBuffer body;
  table.save(head, body, saved);
  const std::string sound = body.bytes();
  const size_t bytes = ShortRows::groups(kRows) * ShortRows::kGroupBytes;  // at the end: there are no fresh rows
  for (size_t round = 0; round < test::amount(20); ++round) {
    body.bytes() = sound;
    char& damaged = body.bytes()[sound.size() - bytes + random() % bytes];
    damaged = static_cast<char>(damaged ^ (1 << (random() % 8)));
    VectorTable loaded(kDim);
    ByteReader in(head.bytes(), "file", 0);
    loaded.load(in, body.map(), PackedValues<Micros>(ats));
    BOOST_CHECK_THROW(loaded.check_all(), CorruptSnapshot);
    ByteWriter again;
    test::BodyBuffer again_body;
    BOOST_CHECK_THROW(loaded.save(again, again_body, saved), CorruptSnapshot);
  }
}

// Whoever makes a file can make its checksums, too.
BOOST_FIXTURE_TEST_CASE(no_damage_of_what_describes_them_ends_a_search, Table) {
  const std::vector<Slot> saved = live();
  std::vector<Micros> ats(saved.begin(), saved.end());
  ByteWriter head;
  test::BodyBuffer body;
  table.save(head, body, saved);
  const std::string sound(head.bytes());
  size_t accepted = 0;
  constexpr size_t kRounds = test::amount(120);
  for (size_t round = 0; round < kRounds; ++round) {
    std::string damaged = sound;
    const size_t near_an_end = random() % 2048;
    const size_t at = round % 3 == 0 ? random() % sound.size() : round % 3 == 1 ? near_an_end : sound.size() - 1 - near_an_end;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    try {
      VectorTable loaded(kDim);
      ByteReader in(damaged, "file", 0);
      loaded.load(in, body.map(), PackedValues<Micros>(ats));
      VectorScratch scratch;
      VectorSearchStats stats;
      for (const size_t k : {1u, 10u}) loaded.nearest(vector().data(), k, 0.995f, {}, scratch, stats);
      ++accepted;
    } catch (const CorruptSnapshot&) {
    }
  }
  BOOST_TEST(accepted > 0u);
  BOOST_TEST(accepted < kRounds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
