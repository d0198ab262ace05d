// A search for words among filtered records against the one among all, of which the others are left out afterwards.
#include "query/admitted_windows.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(admitted_windows)

using test::Item;

// Three windows of slots. Later records took the slots of some that were erased, so that the newest lie anywhere.
constexpr int kRecords = 9900;
constexpr int kReplaced = 900;

struct Fixture {
  Index index{IndexConfig{.dim = 1, .analyzer = AnalyzerKind::simple}};
  std::mt19937 random{17};
  std::map<std::string, Item, std::less<>> records;

  std::string text() {
    std::string words;
    for (unsigned share = 1, word = 0; share < 5000; share *= 2, ++word) {
      if (random() % share == 0) words += "w" + std::to_string(word) + " ";
    }
    for (size_t i = random() % 6; i > 0; --i) words += "filler" + std::to_string(random() % 30) + " ";
    return words;
  }

  void put(int first, int last) {
    std::vector<Item> items;
    for (int i = first; i < last; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = i, .text = text()};
      for (const unsigned share : {3u, 30u, 300u, 3000u}) {
        if (random() % share == 0) item.tags.push_back("one of " + std::to_string(share));
      }
      if (i % 700 < 100) item.tags.push_back("near");
      if (random() % 40 == 0) item.kind = Kind::semantic;
      item.metadata = "{\"n\": " + std::to_string(random() % 50) + "}";
      records[item.id] = item;
      items.push_back(std::move(item));
    }
    test::add(index, items);
  }

  Fixture() {
    put(0, kRecords);
    std::vector<std::string> gone;
    for (int i = 0; i < kReplaced; ++i) gone.push_back("r" + std::to_string(i * 11));
    index.remove("ana", std::vector<std::string_view>(gone.begin(), gone.end()));
    for (const std::string& id : gone) records.erase(id);
    put(kRecords, kRecords + kReplaced);
  }

  static std::vector<std::pair<std::string, float>> scored(const SearchResult& result) {
    std::vector<std::pair<std::string, float>> hits;
    for (const Hit& hit : result.hits) {
      if (hit.views[static_cast<size_t>(View::lexical)].rank > 0) hits.emplace_back(hit.id, hit.score);
    }
    return hits;
  }

  void check(Query query, const std::function<bool(const Item&)>& admits) {
    Query everything{.user = "ana", .text = query.text, .k = limits::kTop, .depth = limits::kTop};
    std::vector<std::pair<std::string, float>> wanted;
    for (const auto& [id, score] : scored(index.search(everything))) {
      if (wanted.size() < query.k && admits(records.at(id))) wanted.emplace_back(id, score);
    }
    const auto found = scored(index.search(query));
    BOOST_TEST(found.size() == wanted.size(), *query.text);
    BOOST_TEST((found == wanted), *query.text);
  }

  Query question() {
    std::string words;
    for (size_t i = 1 + random() % 6; i > 0; --i) words += "w" + std::to_string(random() % 13) + " ";
    if (random() % 4 == 0) words += "filler3 filler9";
    Query query{.user = "ana", .text = words};
    query.k = query.depth = random() % 3 == 0 ? 150 : 10;
    return query;
  }
};

BOOST_FIXTURE_TEST_CASE(times, Fixture, *boost::unit_test::label("long_under_asan")) {
  for (int i = 0; i < 250; ++i) {
    Query query = question();
    const auto first = static_cast<Micros>(random() % (kRecords + kReplaced));
    const auto width = static_cast<Micros>(1 + random() % std::array<unsigned, 4>{30, 500, 2500, 9000}[random() % 4]);
    const Interval range = {first, i % 3 == 0 ? kForever : first + width};
    query.between = {{range}};
    if (i % 5 == 0) query.between->push_back({0, 40});
    check(query, [&](const Item& item) {
      return (range.start <= item.at && item.at < range.end) || (i % 5 == 0 && item.at < 40);
    });
  }
}

BOOST_FIXTURE_TEST_CASE(tags_kinds_and_metadata, Fixture, *boost::unit_test::label("long_under_asan")) {
  for (const std::string tag : {"one of 3", "one of 30", "one of 300", "one of 3000", "near"}) {
    for (int i = 0; i < 40; ++i) {
      Query query = question();
      query.require_tags = {tag};
      check(query, [&](const Item& item) { return std::ranges::count(item.tags, tag) > 0; });
    }
  }
  for (int i = 0; i < 60; ++i) {
    Query query = question();
    if (i % 2 == 0) query.kinds = {{Kind::semantic}};
    if (i % 3 > 0) query.where = "{\"n\": 7}";
    check(query, [&](const Item& item) {
      return (i % 2 > 0 || item.kind == Kind::semantic) && (i % 3 == 0 || item.metadata == "{\"n\": 7}");
    });
  }
}

BOOST_FIXTURE_TEST_CASE(a_user_of_less_than_a_window, Fixture) {
  std::vector<std::string> gone;
  for (const auto& [id, item] : records) {
    if (gone.size() < records.size() - 700) gone.push_back(id);
  }
  index.remove("ana", std::vector<std::string_view>(gone.begin(), gone.end()));
  for (const std::string& id : gone) records.erase(id);
  for (int i = 0; i < 60; ++i) {
    Query query = question();
    query.between = {{Interval{static_cast<Micros>(random() % kRecords), kForever}}};
    check(query, [&](const Item& item) { return query.between->front().start <= item.at; });
  }
}

// Few of many slots, or many of few.
BOOST_AUTO_TEST_CASE(what_few_means) {
  BOOST_TEST((AdmittedWindow{.first = 0, .last = 4095, .count = 256}.few()));
  BOOST_TEST((!AdmittedWindow{.first = 0, .last = 4095, .count = 257}.few()));
  BOOST_TEST((!AdmittedWindow{.first = 9, .last = 9, .count = 1}.few()));
  BOOST_TEST((AdmittedWindow{.first = 9, .last = 40, .count = 2}.few()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
