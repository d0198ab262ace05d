// A lexical search that prunes against one that cannot, because it is asked for every record.
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>

#include "memspan/index.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(lexical_pruning)

using test::Item;

constexpr int kRecords = 9000;

struct Fixture {
  Index index{IndexConfig{.dim = 1, .analyzer = AnalyzerKind::simple}};
  std::mt19937 random{11};

  // Words from one in two records to one in some thousands; many records tie.
  std::string text() {
    std::string words;
    const auto length = random() % 12;
    for (unsigned i = 0; i < length; ++i) words += "filler" + std::to_string(random() % 40) + " ";
    for (unsigned share = 2, word = 0; share < 5000; share = share * 2, ++word) {
      if (random() % share != 0) continue;
      const auto times = random() % 7 == 0 ? 1 + random() % 40 : 1;
      for (size_t i = 0; i < times; ++i) words += "w" + std::to_string(word) + " ";
    }
    if (random() % 2000 == 0) {
      for (int i = 0; i < 1500; ++i) words += "long ";
    }
    return words;
  }

  Fixture() {
    for (int round = 0; round < 2; ++round) {
      std::vector<Item> items;
      for (int i = 0; i < kRecords; ++i) {
        if (round == 1 && random() % 10 != 0) continue;
        items.push_back({.id = "r" + std::to_string(i), .at = i / 3, .text = text()});
        if (i % 50 == 0) items.back().kind = Kind::semantic;
      }
      test::add(index, items);
      std::vector<std::string> gone;
      for (int i = 0; i < 500; ++i) gone.push_back("r" + std::to_string(random() % kRecords));
      index.remove("ana", std::vector<std::string_view>(gone.begin(), gone.end()));
    }
  }

  std::string question() {
    std::string words;
    const auto count = 2 + random() % 5;
    for (unsigned i = 0; i < count; ++i) words += "w" + std::to_string(random() % 12) + " ";
    if (random() % 3 == 0) words += "filler7 long";
    return words;
  }

  void check(Query query) {
    const SearchResult found = index.search(query);
    Query everything = query;
    everything.k = everything.depth = kRecords;
    SearchResult all = index.search(everything);
    if (all.hits.size() > query.k) all.hits.resize(query.k);
    BOOST_TEST(test::same_hits(found, all), *query.text);
  }
};

BOOST_FIXTURE_TEST_CASE(answers_are_those_of_a_full_search, Fixture) {
  for (int i = 0; i < 600; ++i) {
    Query query{.user = "ana", .text = question()};
    query.k = i % 4 == 0 ? 1 + static_cast<uint32_t>(random() % 60) : 10;
    check(query);
  }
}

BOOST_FIXTURE_TEST_CASE(filters_work_before_anything_is_left_out, Fixture) {
  for (int i = 0; i < 300; ++i) {
    Query query{.user = "ana", .text = question()};
    if (i % 3 == 0) query.kinds = {{Kind::semantic}};
    const Interval range = {static_cast<Micros>(random() % 500), static_cast<Micros>(1500 + random() % 1500)};
    if (i % 3 == 1) query.between = {{range}};
    if (i % 3 == 2) {
      for (const Hit& hit : index.search(query).hits) query.exclude.push_back(hit.id);
    }
    check(query);
  }
}

BOOST_FIXTURE_TEST_CASE(extreme_parameters_change_nothing, Fixture) {
  for (const auto& [k1, b] : {std::pair(0.0, 0.0), std::pair(1.2, 1.0), std::pair(100.0, 0.5)}) {
    Index other(IndexConfig{.dim = 1, .analyzer = AnalyzerKind::simple, .k1 = k1, .b = b});
    std::vector<Item> items;
    for (int i = 0; i < kRecords; ++i) items.push_back({.id = "r" + std::to_string(i), .at = i / 3, .text = text()});
    test::add(other, items);
    for (int i = 0; i < 60; ++i) {
      Query query{.user = "ana", .text = question()};
      const SearchResult found = other.search(query);
      query.k = query.depth = kRecords;
      SearchResult all = other.search(query);
      if (all.hits.size() > 10) all.hits.resize(10);
      BOOST_TEST(test::same_hits(found, all), *query.text);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
