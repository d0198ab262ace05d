// A user whose rows and lists lie in a snapshot goes on like one who never left memory.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "memspan/error.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(stored_user)

constexpr size_t kDim = 20;

struct Fixture {
  test::TemporaryDirectory directory;
  std::mt19937 random{11};
  int next = 0;

  test::Item make(int number) {
    test::Item item{.id = "r" + std::to_string(number), .at = static_cast<Micros>(random() % 5000)};
    const int topic = static_cast<int>(random() % 12);
    item.text = "opera topic" + std::to_string(topic);
    for (int i = 0; i < 2; ++i) item.text += " word" + std::to_string(random() % 300);
    item.tags = {"t" + std::to_string(topic), "all"};
    if (number % 7 != 0) {
      item.embedding = test::random_vector(kDim, random);
      item.embedding[static_cast<size_t>(topic)] += 4.0f;
    }
    if (number % 3 != 0) item.session = "s" + std::to_string(random() % 40);
    item.speaker = number % 2 == 0 ? "Ana" : "Bob";
    if (number % 9 == 0) item.metadata = R"({"n": )" + std::to_string(number) + "}";
    if (number % 5 == 0) item.until = item.at + 100;
    return item;
  }
  void add(std::initializer_list<Index*> indexes, int count) {
    std::vector<test::Item> items;
    const int old = static_cast<int>(random() % 2000);
    for (int i = 0; i < count; ++i) items.push_back(make(i % 4 == 0 ? old + i : 3000 + next++));
    for (Index* index : indexes) test::add(*index, items);
  }
  void remove(std::initializer_list<Index*> indexes, int count) {
    for (int i = 0; i < count; ++i) {
      const std::string id = "r" + std::to_string(random() % static_cast<unsigned>(3000 + next));
      size_t removed = 0;
      for (Index* index : indexes) removed += test::remove(*index, "ana", {id});
      BOOST_REQUIRE(removed % indexes.size() == 0u);
    }
  }
  std::vector<Query> queries(bool exact) {
    std::vector<Query> queries;
    for (int i = 0; i < 12; ++i) {
      const std::string word = "word" + std::to_string(random() % 300);
      const std::vector<float> vector = test::random_vector(kDim, random);
      const auto start = static_cast<Micros>(random() % 4000);
      queries.push_back({.user = "ana", .text = "opera " + word, .neighbors = 2, .exact = exact});
      queries.push_back({.user = "ana", .embedding = vector, .exact = exact});
      queries.push_back({.user = "ana", .text = word, .embedding = vector, .tags = {"t3"}, .exact = exact});
      queries.push_back({.user = "ana", .embedding = vector, .between = {{{start, start + 300}}}, .exact = exact});
      queries.push_back({.user = "ana", .text = word, .embedding = vector, .require_tags = {"t5"}, .exact = exact});
      queries.push_back({.user = "ana", .valid_at = start, .k = 50});
    }
    return queries;
  }
  void check_same(const Index& a, const Index& b, bool exact) {
    BOOST_REQUIRE(a.ids("ana") == b.ids("ana"));
    for (const Query& query : queries(exact)) BOOST_REQUIRE(test::same_hits(a.search(query), b.search(query)));
    const UserStats stats_a = a.stats("ana").value();
    const UserStats stats_b = b.stats("ana").value();
    BOOST_TEST((stats_a.records == stats_b.records && stats_a.embeddings == stats_b.embeddings && stats_a.terms == stats_b.terms &&
                stats_a.tokens == stats_b.tokens && stats_a.sessions == stats_b.sessions && stats_a.tags == stats_b.tags));
  }
  std::unique_ptr<Index> reload(const Index& index) {
    const std::string path = directory.file("index");
    index.save(path, "");
    return Index::load(path);
  }
};

BOOST_FIXTURE_TEST_CASE(it_gives_the_same_answers_and_goes_on_like_the_first, Fixture) {
  Index index(IndexConfig{.dim = kDim});
  std::vector<test::Item> items;
  for (int i = 0; i < 3000; ++i) items.push_back(make(i));
  test::add(index, items);
  std::unique_ptr<Index> loaded = reload(index);  // nothing laid out
  check_same(index, *loaded, false);
  index.consolidate("ana", true);
  add({&index}, 100);
  remove({&index}, 100);
  for (int round = 0; round < 4; ++round) {
    BOOST_TEST_CONTEXT("round " << round) {
      loaded = reload(index);
      BOOST_TEST(loaded->search({.user = "ana", .text = "opera"}).hits.size() == 10u);
      const UserStats stats = loaded->stats("ana").value();
      BOOST_TEST(stats.mapped_bytes >= stats.embeddings * kDim * sizeof(float));
      check_same(index, *loaded, false);
      add({&index, loaded.get()}, 150);
      remove({&index, loaded.get()}, round == 2 ? 8000 : 150);  // many: slots are numbered anew
      check_same(index, *loaded, true);
      check_same(*loaded, *reload(*loaded), false);
      if (round % 2 == 0) {
        // The clusters may differ, because the order of slots does; the records may not.
        for (Index* each : {&index, loaded.get()}) each->consolidate("ana", true);
        check_same(index, *loaded, true);
        add({&index, loaded.get()}, 50);
        check_same(index, *loaded, true);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(it_keeps_nothing_on_the_heap_but_what_is_small, Fixture) {
  Index index(IndexConfig{.dim = 384});
  std::vector<test::Item> items;
  for (int i = 0; i < 3000; ++i) {
    items.push_back(make(i));
    items.back().embedding = test::random_vector(384, random);
  }
  test::add(index, items);
  const auto loaded = reload(index);
  const Query query{.user = "ana", .text = "opera", .embedding = test::random_vector(384, random)};
  BOOST_REQUIRE(test::same_hits(loaded->search(query), index.search(query)));
  const UserStats stats = loaded->stats("ana").value();
  BOOST_TEST(stats.bytes < 3000u * 500u);
  BOOST_TEST(stats.mapped_bytes >= 3000u * 384u * 5u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
