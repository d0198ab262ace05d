// Index::latest and listings by time against the common way of a search, which an explanation asks for.
#include <boost/test/unit_test.hpp>
#include <random>

#include "memspan/error.hpp"
#include "support/allocations.hpp"
#include "support/amount.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(listing)

using test::Item;
using test::Mentions;
using test::same_hits;

Query listing_of(std::span<const Interval> between, uint32_t k) {
  Query query{.user = "ana", .views = {{View::symbolic}}, .k = k, .depth = k};
  if (!between.empty()) query.between.emplace(between.begin(), between.end());
  return query;
}

// The index after records with few different times came, went and came again.
std::unique_ptr<Index> churned(std::mt19937& random, bool vault) {
  auto index = std::make_unique<Index>(IndexConfig{.dim = 1});
  for (int i = 0; i < 3000; ++i) {
    const std::string id = (i % 3 == 0 ? "a rather long identifier of a record, " : "r") + std::to_string(random() % 900);
    if (i % 5 == 4) {
      test::remove(*index, "ana", {id});
    } else {
      Item item{.id = id, .at = static_cast<Micros>(random() % 300), .text = "x"};
      if (vault && random() % 4 == 0) item.kind = Kind::vault;
      if (random() % 8 == 0) item.retired_at = 1;
      if (random() % 8 == 0) item.expires_at = random() % 2 == 0 ? 1 : kMaxTime;
      test::add(*index, {item});
    }
  }
  return index;
}

BOOST_AUTO_TEST_CASE(it_equals_the_common_way) {
  std::mt19937 random(1);
  for (const bool vault : {false, true}) {
    const auto index = churned(random, vault);
    SearchResult latest;
    for (int round = 0; round < 400; ++round) {
      std::vector<Interval> between(random() % 4);
      for (Interval& interval : between) {
        interval.start = static_cast<Micros>(random() % 320) - 10;
        interval.end = interval.start + static_cast<Micros>(random() % 80);
      }
      const auto k = static_cast<uint32_t>(1 + random() % (round % 2 == 0 ? 30 : 1000));
      Query query = listing_of(between, k);
      index->latest("ana", between, k, latest);
      const SearchResult fast = index->search(query);
      query.explain = true;
      const SearchResult common = index->search(query);
      BOOST_TEST(same_hits(latest, common));
      if (between.size() <= 1) {
        SearchResult at_once;
        const auto interval = between.empty() ? std::nullopt : std::optional(between[0]);
        BOOST_TEST(index->try_latest("ana", interval, k, at_once) == !vault);
        if (!vault) BOOST_TEST(same_hits(at_once, common));
      }
      BOOST_TEST(same_hits(fast, common));
      for (size_t i = 0; i < std::min(latest.hits.size(), common.hits.size()); ++i) {
        BOOST_TEST(latest.hits[i].at == common.hits[i].at);
        for (size_t v = 0; v < kViewCount; ++v) {
          BOOST_TEST(latest.hits[i].views[v].rank == common.hits[i].views[v].rank);
          BOOST_TEST(latest.hits[i].views[v].score == common.hits[i].views[v].score);
        }
      }
    }
  }
}

// Many records at few times, with all that filters ask for.
std::unique_ptr<Index> varied(std::mt19937& random, bool vault) {
  auto index = std::make_unique<Index>(IndexConfig{.dim = 1});
  std::vector<Item> items;
  for (int i = 0; i < 6000; ++i) {
    Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(random() % 3000), .text = "x"};
    item.metadata = "{\"n\":" + std::to_string(random() % 5) + "}";
    item.tags = {"t" + std::to_string(random() % 3)};
    if (random() % 2 == 0) item.tags.push_back("half");
    if (random() % 100 == 0) item.tags.push_back("rare");
    item.kind = random() % 3 == 0 ? Kind::semantic : vault && random() % 4 == 0 ? Kind::vault : Kind::episodic;
    item.recorded_at = item.at + static_cast<Micros>(random() % 100);
    if (random() % 4 == 0) item.until = item.at + static_cast<Micros>(1 + random() % 500);
    if (random() % 8 == 0) item.retired_at = item.recorded_at + static_cast<Micros>(random() % 500);
    if (random() % 8 == 0) item.expires_at = random() % 2 == 0 ? 1 : kMaxTime;
    items.push_back(item);
  }
  test::add(*index, items);
  return index;
}

Query filtered(std::mt19937& random) {
  std::vector<Interval> between;
  if (random() % 2 == 0) {
    for (Micros start = 100; start < 3000; start += 700) between.push_back({start, start + static_cast<Micros>(random() % 700)});
  }
  Query query = listing_of(between, static_cast<uint32_t>(1 + random() % 12));
  if (random() % 3 == 0) query.kinds.emplace(1, random() % 2 == 0 ? Kind::semantic : Kind::episodic);
  if (random() % 3 == 0) query.where = "{\"n\":{\"$gt\":" + std::to_string(random() % 5) + "}}";
  if (random() % 4 == 0) query.as_of = static_cast<Micros>(random() % 3200);
  if (random() % 4 == 0) query.valid_at = static_cast<Micros>(random() % 3200);
  constexpr std::array<std::string_view, 6> kTags = {"t0", "t1", "t2", "half", "rare", "nobody's"};
  for (size_t i = 0; i < random() % 3; ++i) query.require_tags.emplace_back(kTags[random() % kTags.size()]);
  if (random() % 8 == 0) query.exclude = {"r1", "r17", "nothing"};
  return query;
}

BOOST_AUTO_TEST_CASE(with_filters_it_equals_the_common_way) {
  std::mt19937 random(3);
  size_t found = 0;
  for (const bool vault : {false, true}) {
    const auto index = varied(random, vault);
    for (size_t round = 0; round < test::amount(1500); ++round) {
      Query query = filtered(random);
      const SearchResult fast = index->search(query);
      query.explain = true;
      const SearchResult common = index->search(query);
      BOOST_REQUIRE(same_hits(fast, common));
      found += common.hits.size();
      for (size_t i = 0; i < common.hits.size(); ++i) {
        BOOST_TEST(fast.hits[i].at == common.hits[i].at);
        for (size_t v = 0; v < kViewCount; ++v) BOOST_TEST(fast.hits[i].views[v].rank == common.hits[i].views[v].rank);
      }
    }
  }
  BOOST_TEST(found > test::amount(5000));
}

BOOST_AUTO_TEST_CASE(uses_are_counted_once_whichever_way_hits_are_found) {
  Index index(IndexConfig{.dim = 1});
  index.track_uses();
  std::vector<Item> items;
  for (int i = 0; i < 2000; ++i) {
    items.push_back({.id = "r" + std::to_string(i), .at = i, .text = "x", .metadata = i < 3 ? "{\"old\":1}" : i > 1990 ? "{\"new\":1}" : "{}"});
  }
  test::add(index, items);
  for (const std::string_view where : {"{\"new\":1}", "{\"$or\":[{\"new\":1},{\"old\":1}]}"}) {
    Query query = listing_of({}, 12);
    query.where = where;
    query.track = true;
    const SearchResult result = index.search(query);
    const Uses uses = index.take_uses("ana");
    BOOST_TEST(uses.ids.size() == result.hits.size());
    for (const uint32_t count : uses.counts) BOOST_TEST(count == 1u);
  }
}

BOOST_AUTO_TEST_CASE(records_of_the_vault_do_not_show) {
  Index index(IndexConfig{.dim = 1});
  test::add(index, {{.id = "open", .at = 1}, {.id = "secret", .at = 2, .kind = Kind::vault}});
  SearchResult latest;
  index.latest("ana", {}, 5, latest);
  BOOST_REQUIRE(latest.hits.size() == 1u);
  BOOST_TEST(latest.hits[0].id == "open");
}

BOOST_AUTO_TEST_CASE(refused_calls_leave_the_answer_alone) {
  Index index(IndexConfig{.dim = 1});
  test::add(index, {{.id = "r", .at = 1}});
  SearchResult latest;
  index.latest("ana", {}, 5, latest);
  const std::vector<Interval> backwards = {{2, 1}};
  BOOST_CHECK_EXCEPTION(index.latest("ana", {}, 0, latest), InvalidArgument, Mentions{"k"});
  BOOST_CHECK_EXCEPTION(index.latest("", {}, 1, latest), InvalidArgument, Mentions{"user"});
  BOOST_CHECK_EXCEPTION(index.latest("ana", backwards, 1, latest), InvalidTime, Mentions{"between[0]"});
  BOOST_TEST(latest.hits.size() == 1u);
  index.latest("nobody", {}, 5, latest);
  BOOST_TEST(latest.hits.empty());
  BOOST_CHECK_EXCEPTION(index.try_latest("ana", {}, 0, latest), InvalidArgument, Mentions{"k"});
  BOOST_CHECK_EXCEPTION(index.try_latest("", {}, 1, latest), InvalidArgument, Mentions{"user"});
  BOOST_CHECK_EXCEPTION(index.try_latest("ana", backwards[0], 1, latest), InvalidTime, Mentions{"between[0]"});
  BOOST_TEST(!index.try_latest("nobody", {}, 5, latest));
}

BOOST_AUTO_TEST_CASE(it_allocates_nothing_once_warm) {
  std::mt19937 random(2);
  const auto index = churned(random, false);
  const std::vector<Interval> between = {{50, 250}};
  SearchResult latest;
  index->latest("ana", between, 20, latest);
  const size_t before = test::allocation_calls();
  for (int i = 0; i < 3; ++i) index->latest("ana", between, 20, latest);
  const size_t count = test::allocation_calls() - before;
  BOOST_TEST(count == 0u);
  BOOST_TEST(latest.hits.size() == 20u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
