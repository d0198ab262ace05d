// What a large user's own consolidations lay out: young rows alone, until they are many.
#include <boost/test/unit_test.hpp>
#include <atomic>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "index/consolidation.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(young_rows)

using test::Item;

constexpr size_t kDim = 1024;
constexpr size_t kTopics = 40;
constexpr size_t kMany = kManyYoungBytes / kDim;  // fresh rows that ask for a consolidation
constexpr size_t kLarge = 16 * kMany + 100;       // rows of a user whose young ones are laid out by themselves

struct Fixture {
  std::mt19937 random{4};
  test::ClusteredVectors topics{kDim, kTopics, random};
  std::unique_ptr<Index> index = std::make_unique<Index>(IndexConfig{.dim = kDim});
  Micros next = 0;

  Fixture() {
    fill(kLarge);
    index->consolidate("ana", false);
    index->consolidate_by_itself();
  }
  Item item() {
    Item item{.id = "r" + std::to_string(next), .at = next, .text = "word"};
    item.embedding = topics.near(random() % kTopics);
    ++next;
    return item;
  }
  void fill(size_t count) {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) items.push_back(item());
    test::add(*index, items);
  }
  // Records of the consolidations since the last call.
  std::vector<uint64_t> laid_out() {
    index->finish_consolidations();
    const AutoConsolidations state = index->auto_consolidations();
    BOOST_TEST(state.failed == 0u);
    std::vector<uint64_t> records;
    for (size_t i = state.reports.size() - (state.done - known); i < state.reports.size(); ++i) records.push_back(state.reports[i].records);
    known = state.done;
    return records;
  }
  uint64_t known = 0;

  struct Looked {
    double recall = 0.0;
    double rows_read = 0.0;
  };
  // Ten of all times, of the newest tenth and of an early one.
  Looked look() {
    constexpr int kQuestions = 30;
    size_t found = 0, wanted = 0;
    Looked looked;
    for (int i = 0; i < kQuestions; ++i) {
      Query query{.user = "ana", .embedding = topics.near(random() % kTopics), .k = 10, .explain = true};
      if (i % 3 == 1) query.between = {{{next * 9 / 10, next}}};
      if (i % 3 == 2) query.between = {{{next / 10, next / 5}}};
      const SearchResult result = index->search(query);
      if (i % 3 == 0) looked.rows_read += static_cast<double>(result.explanation->rows_read) / (kQuestions / 3);
      query.exact = true;
      std::set<std::string> best;
      for (const Hit& hit : index->search(query).hits) best.insert(hit.id);
      for (const Hit& hit : result.hits) found += best.contains(hit.id);
      wanted += best.size();
    }
    looked.recall = static_cast<double>(found) / static_cast<double>(wanted);
    return looked;
  }
};

BOOST_FIXTURE_TEST_CASE(they_are_laid_out_alone_until_they_are_many, Fixture, *boost::unit_test::label("long_under_asan")) {
  BOOST_TEST(laid_out().empty());
  const Looked before = look();
  std::vector<uint64_t> expected;
  size_t young = 0;
  for (bool all = false; !all;) {
    fill(kMany - 1);
    BOOST_TEST(laid_out().empty());
    fill(1);
    young += kMany;
    all = young > kLarge / 8;
    const std::vector<uint64_t> records = laid_out();
    BOOST_REQUIRE(records.size() == 1u);
    BOOST_TEST(records[0] == (all ? kLarge + young : young));
    const Looked now = look();
    BOOST_TEST(now.recall >= 0.99);
    BOOST_TEST(now.rows_read < 1.5 * before.rows_read);
  }
  BOOST_TEST(young > 2 * kMany);
}

BOOST_FIXTURE_TEST_CASE(they_come_back_with_a_snapshot, Fixture, *boost::unit_test::label("long_under_asan")) {
  fill(kMany);
  BOOST_TEST(laid_out() == std::vector<uint64_t>{kMany}, boost::test_tools::per_element());
  fill(20);
  test::remove(*index, "ana", {"r5", "r" + std::to_string(kLarge + 5), "r" + std::to_string(kLarge + kMany + 5)});
  const std::mt19937 same = random;
  const Looked before = look();
  const test::TemporaryDirectory directory;
  index->save(directory.file("index"), "");
  index = Index::load(directory.file("index"));
  random = same;
  const Looked after = look();
  BOOST_TEST(after.recall == before.recall);
  BOOST_TEST(after.rows_read == before.rows_read, boost::test_tools::tolerance(0.01));
  BOOST_TEST(index->consolidate("ana", true).records == kLarge + kMany + 17);
  BOOST_TEST(look().recall >= 0.99);
}

// For ThreadSanitizer: a writer, a reader and the consolidations of both kinds.
BOOST_FIXTURE_TEST_CASE(everybody_at_once, Fixture) {
  constexpr size_t kAdded = 3 * kMany;
  std::vector<Item> items;
  for (size_t i = 0; i < kAdded; ++i) items.push_back(item());
  std::atomic<bool> writing = true;
  std::atomic<int> wrong = 0;
  std::thread reader([&] {
    for (size_t i = 0; writing; ++i) {
      const Item& asked = items[i * 31 % kAdded];
      Query query{.user = "ana", .embedding = asked.embedding, .k = 5};
      if (i % 2 == 1) query.between = {{{asked.at - 50, asked.at + 50}}};
      const SearchResult result = index->search(query);
      for (const Hit& hit : result.hits) wrong += hit.id.empty() || (i % 2 == 1 && std::abs(hit.at - asked.at) > 50);
    }
  });
  for (size_t i = 0; i < kAdded; ++i) {
    test::add(*index, {items[i]});
    if (i % 3 == 2) wrong += test::remove(*index, "ana", {items[i - 2].id}) != 1;
    if (i % 7 == 6) wrong += test::remove(*index, "ana", {"r" + std::to_string(i)}) != 1;
    if (i % 100 == 99) wrong += index->search({.user = "ana", .embedding = items[i].embedding, .k = 1}).hits[0].id != items[i].id;
  }
  writing = false;
  reader.join();
  BOOST_TEST(wrong == 0);
  const std::vector<uint64_t> records = laid_out();
  BOOST_TEST(records.size() >= 1u);
  BOOST_TEST(records[0] < kAdded);
  BOOST_TEST(look().recall >= 0.99);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
