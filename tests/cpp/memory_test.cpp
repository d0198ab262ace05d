// What the index takes of memory, and what happens when there is none.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <new>
#include <utility>

#include "base/huge_pages.hpp"
#include "support/allocations.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(memory)

using test::Item;
using test::same_hits;

constexpr size_t kDim = 8;

Item item_of(int i, std::mt19937& random) {
  Item item{.id = "0a1b2c3d-" + std::to_string(100000 + i), .at = static_cast<Micros>(random() % 1000)};
  for (uint32_t t = 0; t < i % 6u; ++t) item.tags.push_back("topic number " + std::to_string((random() % 40) * 6 + t));
  item.embedding = test::random_vector(kDim, random);
  item.session = "the session " + std::to_string(i / 10);
  item.speaker = i % 2 == 0 ? "Ana" : "";
  if (i % 7 == 0) item.metadata = R"({"place": "a name that is longer than a few bytes", "list": [1, 2, {"a": null}]})";
  if (i % 9 == 0) item.until = item.at + 5;
  return item;
}

// Without embeddings and texts, whose blocks do not come from operator new.
BOOST_AUTO_TEST_CASE(stated_bytes_are_those_allocated) {
  std::mt19937 random(1);
  bool first = true;
  for (const int records : {300, 300, 5000, 20000}) {
    std::vector<Item> items;
    for (int i = 0; i < records; ++i) {
      items.push_back(item_of(i, random));
      items.back().embedding.clear();
    }
    const size_t before = test::allocated_bytes();
    const auto index = std::make_unique<Index>(IndexConfig{.dim = 1});
    test::add(*index, items);
    const auto counted = static_cast<double>(test::allocated_bytes() - before);
    const auto stated = static_cast<double>(index->stats().bytes);
    if (std::exchange(first, false)) continue;  // it holds what the thread keeps for all indexes
    BOOST_TEST(std::abs(stated / counted - 1.0) < 0.1, stated << " stated, " << counted << " counted");
    BOOST_TEST(counted / records < 400.0);
  }
}

BOOST_AUTO_TEST_CASE(a_small_user_takes_little) {
  std::mt19937 random(1);
  constexpr int kUsers = 200;
  Index index(IndexConfig{.dim = 1});
  const size_t before = test::allocated_bytes();
  for (int u = 0; u < kUsers; ++u) test::add(index, {{.id = "one", .user = std::to_string(u)}});
  const size_t bare = test::allocated_bytes();
  BOOST_TEST((bare - before) / kUsers < 1860u);
  for (int u = 0; u < kUsers; ++u) test::add(index, {{.id = "one", .session = "s", .speaker = "Ana", .user = "in_session_" + std::to_string(u)}});
  BOOST_TEST((test::allocated_bytes() - bare) / kUsers < 2000u);
}

// What the rows of a user have room for is given back when it is at rest, and is there again for more of them.
BOOST_AUTO_TEST_CASE(a_consolidated_user_has_no_idle_rows) {
  if (!huge_pages::serve(huge_pages::kPage)) return;
  constexpr size_t kRow = 1024;
  std::mt19937 random(1);
  Index index(IndexConfig{.dim = kRow / sizeof(float)});
  std::vector<Item> items;
  for (int i = 0; i < 1040; ++i) {
    items.push_back({.id = std::to_string(i), .at = i});
    items.back().embedding = test::random_vector(kRow / sizeof(float), random);
  }
  constexpr int kFirst = 1028;  // the last chunk, of 64 rows, begins with row 1024
  for (int i = 0; i < kFirst; ++i) test::add(index, {items[static_cast<size_t>(i)]});
  index.consolidate_all(true);
  const size_t before = test::allocated_bytes();
  const size_t stated = index.stats().bytes;
  for (int i = kFirst; i < 1040; ++i) test::add(index, {items[static_cast<size_t>(i)]});
  // Room for 64 rows comes back for the 4 that were there.
  BOOST_TEST(test::allocated_bytes() - before > 56 * kRow);
  BOOST_TEST(index.stats().bytes - stated > 56 * kRow);
  Index fresh(IndexConfig{.dim = kRow / sizeof(float)});
  test::add(fresh, items);
  for (const Item& item : items) {
    const Query query{.user = "ana", .embedding = item.embedding, .k = 5};
    BOOST_REQUIRE(same_hits(index.search(query), fresh.search(query)));
  }
}

BOOST_AUTO_TEST_CASE(replacing_records_takes_no_more_memory) {
  std::mt19937 random(1);
  Index index(IndexConfig{.dim = kDim});
  std::vector<Item> items;
  for (int i = 0; i < 2000; ++i) items.push_back(item_of(i, random));
  test::add(index, items);
  const size_t before = test::allocated_bytes();
  for (int step = 0; step < 20000; ++step) {
    Item& item = items[random() % items.size()];
    item.at = static_cast<Micros>(random() % 1000);
    if (item.until != kForever) item.until = item.at + 5;
    test::add(index, {item});
  }
  BOOST_TEST(index.stats("ana")->dead_slots == 0u);
  BOOST_TEST(static_cast<double>(test::allocated_bytes()) < static_cast<double>(before) * 1.25);
}

// Every allocation of an insert and of a replacement fails once. What was there before stays usable, and the record is
// there afterwards or not, but never in part.
BOOST_AUTO_TEST_CASE(a_failed_insert_leaves_no_trace) {
  std::mt19937 random(1);
  for (const int existing : {0, 1, 7, 70, 1024}) {
    std::vector<Item> items;
    for (int i = 0; i < existing; ++i) items.push_back(item_of(i, random));
    Item added = item_of(existing + 5, random);
    added.metadata = R"({"a": [1, 2, 3]})";
    added.tags = {"a tag that is new", "topic number 1", "another new tag"};
    int failures = 0;
    for (long successes = 0;; ++successes) {
      Index index(IndexConfig{.dim = kDim});
      Index fresh(IndexConfig{.dim = kDim});
      if (existing > 0) test::add(index, items), test::add(fresh, items);
      const std::vector<float> query = test::random_vector(kDim, random);
      index.route("ana", query, 3, RouteMethod::exact);
      bool failed = false;
      try {
        const test::FailingAllocation failing(successes);
        test::add(index, {added});
      } catch (const std::bad_alloc&) {
        failed = true;
      }
      if (!failed) test::add(fresh, {added});
      for (const Query& each : {Query{.user = "ana", .k = 2000}, Query{.user = "ana", .embedding = query, .route = 5, .k = 50},
                                Query{.user = "ana", .require_tags = {"topic_number_1"}}}) {
        BOOST_REQUIRE(same_hits(index.search(each), fresh.search(each)));
      }
      BOOST_REQUIRE(index.size() == fresh.size());
      BOOST_REQUIRE(index.tags("ana").size() == fresh.tags("ana").size());
      if (!failed) break;
      ++failures;
      // It can be added after all, and be removed.
      test::add(index, {added});
      BOOST_REQUIRE(index.size() == fresh.size() + 1);
      test::remove(index, "ana", {added.id});
      BOOST_REQUIRE(index.tags("ana").size() == fresh.tags("ana").size());
    }
    BOOST_TEST(failures > 5);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
