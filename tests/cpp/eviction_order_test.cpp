#include "quotas/eviction_order.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "memspan/error.hpp"
#include "quotas/eviction_heap.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(eviction_order)

using test::Ids;
using test::Item;

Quotas episodic(uint32_t capacity, Eviction eviction = Eviction::value) {
  Quotas quotas;
  quotas.capacities[static_cast<size_t>(Kind::episodic)] = capacity;
  quotas.eviction = eviction;
  return quotas;
}

Ids add(Index& index, const Item& item) {
  const std::vector<std::string_view> tags(item.tags.begin(), item.tags.end());
  const RecordInput input{.user = item.user, .id = item.id, .at = item.at, .kind = item.kind, .text = item.text, .tags = tags,
                          .embedding = item.embedding, .importance = item.importance, .pinned = item.pinned,
                          .retired_at = item.retired_at, .expires_at = item.expires_at};
  Ids ids;
  for (const Evicted& evicted : index.add({&input, 1}, false)) ids.push_back(evicted.id);
  return ids;
}

BOOST_AUTO_TEST_CASE(a_heap_gives_what_a_set_gives, *boost::unit_test::label("long_under_tsan")) {
  std::mt19937 random(2);
  ChunkedVector<Micros> ats;
  IdTable ids;
  EvictionHeap::Positions positions;
  constexpr Slot kSlots = 3000;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    const std::string id = "r" + std::to_string(slot);
    ids.add(id, IdTable::hash(id));
    ats.push_back(static_cast<Micros>(random() % 5));
    positions.push_back(EvictionHeap::kNowhere);
  }
  const Recency recency(ats, ids);
  using Key = std::tuple<float, Micros, size_t, std::string>;
  std::set<std::pair<Key, Slot>> oracle;
  std::vector<float> values(kSlots, -1.0f);
  EvictionHeap heap;
  const auto key = [&](Slot slot) { return std::pair(Key(values[slot], ats[slot], ids[slot].size(), std::string(ids[slot])), slot); };
  for (int step = 0; step < 30'000; ++step) {
    const auto slot = static_cast<Slot>(random() % kSlots);
    const float value = static_cast<float>(random() % 4) / 4.0f;
    if (values[slot] < 0.0f) {
      values[slot] = value;
      heap.push(slot, value, recency, positions);
      oracle.insert(key(slot));
    } else if (random() % 2 == 0) {
      oracle.erase(key(slot));
      values[slot] = value;
      heap.change(slot, value, recency, positions);
      oracle.insert(key(slot));
    } else {
      oracle.erase(key(slot));
      values[slot] = -1.0f;
      heap.erase(slot, recency, positions);
    }
    BOOST_REQUIRE(heap.size() == oracle.size());
    if (!oracle.empty()) BOOST_REQUIRE(heap.top() == oracle.begin()->second);
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_a_large_user_is_made_in_pieces) {
  Index index(IndexConfig{.dim = 2});
  std::vector<Item> items;
  for (int i = 0; i < 10'000; ++i) items.push_back({.id = "r" + std::to_string(i), .at = i % 100});
  test::add(index, items);
  index.set_quotas("ana", episodic(10'000, Eviction::oldest));
  BOOST_TEST(add(index, {.id = "new", .at = 500}) == Ids{"r0"});
  index.set_quotas("ana", episodic(9'990));
  BOOST_TEST(index.evict("ana", 4).size() == 4u);
  BOOST_TEST(index.evict("ana").size() == 6u);
  BOOST_TEST(index.stats("ana").value().records == 9'990u);
}

BOOST_AUTO_TEST_CASE(a_removal_of_most_records_keeps_the_order) {
  Index index(IndexConfig{.dim = 2});
  index.set_quotas(std::nullopt, episodic(20'000));
  std::vector<Item> items;
  std::vector<std::string> names;
  for (int i = 0; i < 12'000; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i, .importance = static_cast<float>(i % 7) / 7.0f});
    if (i % 100 != 0) names.push_back(items.back().id);
  }
  test::add(index, items);
  const std::vector<std::string_view> views(names.begin(), names.end());
  BOOST_TEST(index.remove("ana", views) == views.size());
  BOOST_TEST(index.stats("ana").value().dead_slots < 4097u);  // slots were renumbered at least once
  index.set_quotas(std::nullopt, episodic(119));
  BOOST_TEST(index.evict("ana") == Ids{"r0"});
  BOOST_TEST(index.evict("ana").empty());
  BOOST_TEST(add(index, {.id = "new", .importance = 1.0f}) == Ids{"r700"});
}

// What evictions leave in long inverted lists changes no answer.
BOOST_AUTO_TEST_CASE(texts_rank_as_in_an_index_that_never_evicted, *boost::unit_test::label("long_under_tsan")) {
  std::mt19937 random(8);
  constexpr int kRecords = 15'000;
  constexpr int kCapacity = 5'000;
  std::vector<Item> items;
  for (int i = 0; i < kRecords; ++i) {
    std::string text;
    for (int word = 0; word < 12; ++word) text += "w" + std::to_string(std::min(random() % 60, random() % 60)) + " ";
    items.push_back({.id = "r" + std::to_string(i), .at = i, .text = text, .importance = static_cast<float>(random() % 9) / 9.0f});
  }
  Index index(IndexConfig{.dim = 2});
  index.set_quotas("ana", episodic(kCapacity));
  const auto compare = [&] {
    std::vector<Item> left;
    for (const std::string& id : index.ids("ana")) left.push_back(items[static_cast<size_t>(std::stoi(id.substr(1)))]);
    Index fresh(IndexConfig{.dim = 2});
    test::add(fresh, left);
    BOOST_REQUIRE(index.stats("ana").value().terms == fresh.stats("ana").value().terms);
    for (const char* const text : {"w0", "w3 w17", "w0 w1 w2 w3", "w40 w0 w59", "w58 w59", "w5 w5 w6 w7 w8 w9 w10"}) {
      for (const uint32_t k : {5u, 3000u}) {
        const Query query{.user = "ana", .text = text, .k = k};
        BOOST_REQUIRE(test::same_hits(index.search(query), fresh.search(query)));
      }
    }
  };
  for (int i = 0; i < kRecords; ++i) {
    add(index, items[static_cast<size_t>(i)]);
    if (i % 7 == 0 && i > 0) {  // the same id with another text
      items[static_cast<size_t>(i / 2)].text = items[static_cast<size_t>(i)].text;
      if (index.locate("ana", items[static_cast<size_t>(i / 2)].id)) add(index, items[static_cast<size_t>(i / 2)]);
    }
    if (i % 1000 == 500 && i > 6000) index.remove("ana", std::vector<std::string_view>{items[static_cast<size_t>(i - 1)].id});
    if (i == 5'200 || i == 9'000) compare();
  }
  compare();
  index.consolidate("ana", true);
  compare();
}

BOOST_AUTO_TEST_CASE(uses_stay_with_a_record_that_is_replaced) {
  Index index(IndexConfig{.dim = 2});
  index.track_uses();
  index.set_quotas("ana", episodic(2));
  add(index, {.id = "used", .at = 1});
  add(index, {.id = "other", .at = 2});
  const std::vector<std::string_view> used = {"used", "used"};
  BOOST_TEST(index.note_uses("ana", used) == 2u);
  BOOST_TEST(add(index, {.id = "used", .at = 1, .text = "new words", .pinned = true}).empty());
  BOOST_TEST(add(index, {.id = "used", .at = 1, .text = "newer words"}).empty());
  const Uses uses = index.take_uses("ana");
  BOOST_TEST(uses.ids == Ids{"used"});
  BOOST_TEST(uses.counts == std::vector<uint32_t>{2});
  BOOST_TEST(add(index, {.id = "new", .at = 3}) == Ids{"other"});
  // One that was removed and comes again begins anew.
  index.remove("ana", std::vector<std::string_view>{"used"});
  add(index, {.id = "used", .at = 1});
  BOOST_TEST(add(index, {.id = "newer", .at = 4}) == Ids{"used"});
}

BOOST_AUTO_TEST_CASE(one_eviction_takes_few_second_looks) {
  Index index(IndexConfig{.dim = 2});
  index.track_uses();
  constexpr int kRecords = 2'000;
  index.set_quotas("ana", episodic(kRecords));
  std::vector<std::string> names;
  for (int i = 0; i < kRecords; ++i) {
    names.push_back("r" + std::to_string(i));
    add(index, {.id = names.back(), .at = i});
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  BOOST_TEST(index.note_uses("ana", std::span(views).first(kRecords - 1)) == views.size() - 1);
  // Only the last was not used, which is found as the looks of several evictions add up.
  bool found = false;
  for (int i = 0; i < kRecords / static_cast<int>(EvictionOrder::kMostSecondLooks) + 1 && !found; ++i) {
    const Ids evicted = add(index, {.id = "new" + std::to_string(i), .at = kRecords, .importance = 1.0f});
    BOOST_REQUIRE(evicted.size() == 1u);
    found = evicted.front() == names.back();
  }
  BOOST_TEST(found);
}

// Who is evicted when "old", which is judged highly, is said again by "new", something happens, and four others come.
Ids evicted_after(const std::function<void(Index&)>& something, Micros until = kForever) {
  Index index(IndexConfig{.dim = 2});
  index.set_quotas("ana", episodic(4));
  add(index, {.id = "old", .at = 1, .embedding = {1, 0}, .importance = 0.9f});
  add(index, {.id = "new", .at = 2, .embedding = {1, 0}, .importance = 0.9f, .expires_at = until});
  something(index);
  Ids all;
  for (int i = 0; i < 4; ++i) {
    const Ids evicted = add(index, {.id = "n" + std::to_string(i), .at = 3 + i, .importance = 0.3f});
    all.insert(all.end(), evicted.begin(), evicted.end());
  }
  return all;
}

BOOST_AUTO_TEST_CASE(what_is_said_again_goes_first_while_it_is) {
  const auto retired = [](Index& index) { add(index, {.id = "new", .at = 2, .embedding = {1, 0}, .retired_at = 5}); };
  const auto reworded = [](Index& index) { add(index, {.id = "new", .at = 2, .embedding = {0, 1}, .importance = 0.9f}); };
  const auto removed = [](Index& index) {
    const std::vector<std::string_view> ids{"new"};
    index.remove("ana", ids);
  };
  BOOST_TEST(evicted_after([](Index&) {}) == (Ids{"old", "n0"}));
  BOOST_TEST(evicted_after(removed) == Ids{"n0"});
  BOOST_TEST(evicted_after(retired) == (Ids{"new", "n0"}));
  BOOST_TEST(evicted_after(reworded) == (Ids{"n0", "n1"}));
  // Another one in its place says something else.
  BOOST_TEST(evicted_after([&](Index& index) {
               removed(index);
               add(index, {.id = "other", .at = 2, .embedding = {0, 1}, .importance = 0.9f});
             }) == (Ids{"n0", "n1"}));
  // It came again later, but does not last.
  BOOST_TEST(evicted_after([](Index&) {}, kMaxTime) == (Ids{"n0", "n1"}));
}

BOOST_AUTO_TEST_CASE(a_snapshot_keeps_what_is_said_again) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("index.snapshot");
  Index index(IndexConfig{.dim = 2});
  index.set_quotas("ana", episodic(4));
  add(index, {.id = "plain", .at = 0});
  add(index, {.id = "old", .at = 1, .embedding = {1, 0}, .importance = 0.9f});
  add(index, {.id = "new", .at = 2, .embedding = {1, 0}, .importance = 0.9f});
  add(index, {.id = "more", .at = 3, .importance = 0.3f});
  index.save(path, "");
  const auto loaded = Index::load(path);
  const std::vector<std::string_view> ids{"new"};
  BOOST_TEST(add(*loaded, {.id = "m1", .at = 4, .importance = 0.3f}) == Ids{"old"});
  const auto other = Index::load(path);
  other->remove("ana", ids);
  BOOST_TEST(add(*other, {.id = "m1", .at = 4, .importance = 0.3f}) == Ids{});
  BOOST_TEST(add(*other, {.id = "m2", .at = 5, .importance = 0.3f}) == Ids{"more"});
}

BOOST_AUTO_TEST_CASE(refusals_change_nothing) {
  Index index(IndexConfig{.dim = 2});
  index.set_quotas("ana", episodic(2));
  add(index, {.id = "a", .pinned = true});
  add(index, {.id = "b", .text = "old", .pinned = true});
  BOOST_CHECK_THROW(add(index, {.id = "c"}), QuotaExceeded);
  BOOST_CHECK_THROW(add(index, {.id = "c", .pinned = true}), QuotaExceeded);
  const std::vector<RecordInput> batch = {{.user = "ana", .id = "fact", .kind = Kind::semantic}, {.user = "ana", .id = "c"}};
  BOOST_CHECK_THROW(index.add(batch), QuotaExceeded);
  BOOST_TEST(index.ids("ana") == (Ids{"a", "b"}));
  BOOST_TEST(index.add(batch, true, false).empty());
  BOOST_TEST(index.ids("ana") == (Ids{"a", "b", "c", "fact"}));
  BOOST_CHECK_THROW(index.set_uses("ana", Uses{{"a"}, {}, {0}}), InvalidArgument);
}

// Uses are counted exactly, while records come and go, and quotas change.
BOOST_AUTO_TEST_CASE(searches_in_parallel_with_evictions) {
  Index index(IndexConfig{.dim = 4});
  index.track_uses();
  index.set_quotas(std::nullopt, episodic(150));
  for (int i = 0; i < 10; ++i) add(index, {.id = "pin" + std::to_string(i), .at = -1, .text = "kite", .pinned = true});
  std::atomic<bool> done = false;
  std::atomic<uint64_t> found = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) {
        Query query{.user = "ana", .text = "kite", .k = 3};
        query.between.emplace(1, Interval{-1, 0});
        found += index.search(query).hits.size();
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; !done; ++i) {
      index.set_quotas("ana", episodic(static_cast<uint32_t>(100 + i % 50), i % 2 == 0 ? Eviction::value : Eviction::oldest));
      index.evict("ana");
    }
  });
  uint64_t taken = 0;
  std::mt19937 random(3);
  const auto take = [&] {
    const Uses uses = index.take_uses("ana");
    for (const uint32_t count : uses.counts) taken += count;
  };
  for (int i = 0; i < 3000; ++i) {
    add(index, {.id = "r" + std::to_string(i), .at = i, .text = "kite", .embedding = test::random_vector(4, random)});
    if (i % 300 == 0) take();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  take();
  BOOST_TEST(taken == found.load());
  index.set_quotas("ana", episodic(100));
  index.evict("ana");
  BOOST_TEST(index.stats("ana").value().records == 100u);
  BOOST_TEST(index.stats("ana").value().pinned == 10u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
