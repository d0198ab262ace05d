// How the semantic view reads its rows, and that no way of reading changes an answer.
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>

#include "memspan/index.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(search_plan)

using test::Item;

constexpr size_t kDim = 24;
constexpr int kTopics = 24;
constexpr int kRecords = 6000;

// Every topic has its part of the time: a range of time holds other topics than the one that is asked about.
struct Fixture {
  Index index{IndexConfig{.dim = kDim}};
  std::mt19937 random{7};
  std::vector<std::vector<float>> topics;

  Fixture() {
    for (int t = 0; t < kTopics; ++t) topics.push_back(test::random_vector(kDim, random));
    std::vector<Item> items;
    for (int i = 0; i < kRecords; ++i) {
      items.push_back({.id = "r" + std::to_string(i), .at = i});
      items.back().embedding = near(i * kTopics / kRecords);
    }
    test::add(index, items);
    index.consolidate("ana", true);
  }

  std::vector<float> near(int topic) {
    std::vector<float> vector = topics[static_cast<size_t>(topic)];
    const std::vector<float> noise = test::random_vector(kDim, random);
    for (size_t d = 0; d < kDim; ++d) vector[d] += 0.4f * noise[d];
    return vector;
  }

  // Compares with the exact answer; returns how the rows were read.
  std::string check(Query query) {
    query.explain = true;
    const SearchResult found = index.search(query);
    query.exact = true;
    const SearchResult exact = index.search(query);
    size_t same = 0;
    for (const Hit& hit : found.hits) {
      for (const Hit& wanted : exact.hits) same += hit.id == wanted.id && hit.score == wanted.score;
    }
    BOOST_TEST(found.hits.size() == exact.hits.size());
    BOOST_TEST(same + 1 >= exact.hits.size());
    return found.explanation->scan;
  }
};

BOOST_FIXTURE_TEST_CASE(everything_is_probed, Fixture) {
  for (int t = 0; t < kTopics; ++t) BOOST_TEST(check({.user = "ana", .embedding = near(t)}) == "probe");
}

BOOST_FIXTURE_TEST_CASE(a_range_that_holds_the_topic_is_probed, Fixture) {
  int probed = 0;
  for (int t = 0; t < kTopics; ++t) {
    const Micros start = t * kRecords / kTopics;
    const std::vector<Interval> range = {{start - 500, start + 800}};
    probed += check({.user = "ana", .embedding = near(t), .between = range}) == "masked probe";
  }
  BOOST_TEST(probed > kTopics / 2);
}

// Every block may hold one of the best that are left: reading those rows alone is less work, which shows on the way.
BOOST_FIXTURE_TEST_CASE(a_range_without_the_topic_is_gathered, Fixture) {
  int gathered = 0;
  for (int t = 0; t < kTopics; ++t) {
    const Micros start = ((t + kTopics / 2) % kTopics) * kRecords / kTopics;
    const std::vector<Interval> range = {{start, start + 250}};
    gathered += check({.user = "ana", .embedding = near(t), .between = range}) == "gather";
  }
  BOOST_TEST(gathered > kTopics / 2);
}

BOOST_FIXTURE_TEST_CASE(few_records_are_gathered, Fixture) {
  const std::vector<Interval> range = {{1000, 1020}};
  BOOST_TEST(check({.user = "ana", .embedding = near(3), .between = range}) == "gather");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
