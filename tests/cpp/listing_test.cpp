// Index::latest and listings by time against the common way of a search, which an explanation asks for.
#include <boost/test/unit_test.hpp>
#include <random>

#include "memspan/error.hpp"
#include "support/allocations.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {

using test::Item;
using test::Mentions;
using test::same_hits;

BOOST_AUTO_TEST_SUITE(listing)

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
