// Records found by tags, against sums made one record at a time. Users are large enough for several windows of slots.
#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <tuple>

#include "support/recency.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(symbolic_view)

struct Tagged {
  Micros at = 0;
  std::set<std::string> tags;
};

struct Fixture {
  std::mt19937 random{5};
  Index index{IndexConfig{.dim = 2}};
  std::map<std::string, Tagged> records;

  // "t0" is carried by most, and each tag after it by a third as many.
  std::vector<test::Item> make(const std::string& prefix, int count, bool in_order) {
    std::vector<test::Item> items;
    for (int i = 0; i < count; ++i) {
      test::Item item{.id = prefix + std::to_string(i), .at = in_order ? i / 3 : static_cast<Micros>(random() % 500)};
      double share = 0.7;
      for (int t = 0; t < 8; ++t, share /= 3.0) {
        if (static_cast<double>(random() % 100'000) < share * 100'000.0) item.tags.push_back("t" + std::to_string(t));
      }
      items.push_back(item);
    }
    return items;
  }
  void put(const std::vector<test::Item>& items) {
    test::add(index, items);
    for (const test::Item& item : items) records[item.id] = {item.at, {item.tags.begin(), item.tags.end()}};
  }
  void erase_every(int step) {
    std::vector<std::string> gone;
    int i = 0;
    for (const auto& [id, record] : records) {
      if (i++ % step == 0) gone.push_back(id);
    }
    BOOST_REQUIRE(index.remove("ana", std::vector<std::string_view>(gone.begin(), gone.end())) == gone.size());
    for (const std::string& id : gone) records.erase(id);
  }

  void check(const std::map<std::string, float>& weights, const std::vector<std::string>& tags,
             std::optional<Interval> between = {}) {
    struct Wanted {
      std::string_view id;
      float score;
      Micros at;
    };
    std::vector<Wanted> wanted;
    for (const auto& [id, record] : records) {
      if (between && (record.at < between->start || record.at >= between->end)) continue;
      float score = 0.0f;
      for (const auto& [tag, weight] : weights) score += record.tags.contains(tag) ? weight : 0.0f;
      if (score > 0.0f) wanted.push_back({id, score, record.at});
    }
    std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) {
      return std::pair(b.score, test::newness(b.at, b.id)) < std::pair(a.score, test::newness(a.at, a.id));
    });
    for (const uint32_t k : {1u, 5u, 10u, 100u, 3000u}) {
      Query query{.user = "ana", .tags = tags, .k = k, .depth = k};
      if (between) query.between = {{*between}};
      const SearchResult result = index.search(query);
      BOOST_REQUIRE(result.hits.size() == std::min<size_t>(wanted.size(), k));
      for (size_t i = 0; i < result.hits.size(); ++i) {
        BOOST_REQUIRE(result.hits[i].id == wanted[i].id);
        BOOST_REQUIRE(result.hits[i].score == wanted[i].score);
      }
    }
  }
  void check_many() {
    for (const char* tag : {"t0", "t2", "t7"}) check({{tag, 1.0f}}, {tag});
    check({{"t0", 1.0f}, {"t1", 1.0f}}, {"t0", "t1"});
    check({{"t1", 1.0f}, {"t3", 1.0f}, {"t6", 1.0f}, {"t7", 1.0f}}, {"t1", "t3", "t6", "t7", "unknown"});
    check({{"t0", 1.0f}, {"t5", 1.0f}}, {"t0", "t5"}, Interval{100, 140});
    check({{"parent", 1.0f}, {"t2", 0.5f}, {"t0", 1.0f}, {"t4", 0.5f}}, {"parent", "t0"});
    check({}, {"unknown"});
  }
};

BOOST_AUTO_TEST_CASE(equals_sums_one_by_one) {
  for (const bool in_order : {true, false}) {
    Fixture fixture;
    for (const char* tag : {"t2", "t4"}) fixture.index.relate("ana", "parent", tag);
    fixture.put(fixture.make("r", 15'000, in_order));
    fixture.check_many();
    // New records take the slots of removed ones.
    fixture.erase_every(3);
    fixture.put(fixture.make("n", 3000, false));
    fixture.check_many();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
