// Consolidation that nobody asks for: when it comes, what it costs searches, and that its thread can be stopped.
#include "index/auto_consolidation.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "index/consolidation_need.hpp"
#include "index/user_index.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(auto_consolidation)

using test::Item;

constexpr size_t kDim = 32;
constexpr size_t kClusters = 24;

struct Fixture {
  std::mt19937 random{11};
  test::ClusteredVectors vectors{kDim, kClusters, random};
  std::unique_ptr<Index> index = std::make_unique<Index>(IndexConfig{.dim = kDim});
  int next = 0;

  Fixture() { index->consolidate_by_itself(); }

  Item item(const std::string& user = "ana") {
    Item item{.id = "r" + std::to_string(next++), .at = static_cast<Micros>(random() % 1000), .text = "word"};
    item.embedding = vectors.near(random() % kClusters);
    item.user = user;
    return item;
  }
  void fill(size_t count, const std::string& user = "ana") {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) items.push_back(item(user));
    test::add(*index, items);
  }
  void fill(UserIndex& user, size_t count) {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) items.push_back(item());
    std::vector<UserIndex::NewRecord> records(count);
    for (size_t i = 0; i < count; ++i) {
      records[i].input.user = items[i].user;
      records[i].input.id = items[i].id;
      records[i].input.embedding = items[i].embedding;
      records[i].id_hash = IdTable::hash(items[i].id);
    }
    user.add(records, Analyzer(AnalyzerKind::simple));
  }
  AutoConsolidations settled() {
    index->finish_consolidations();
    return index->auto_consolidations();
  }
  struct Looked {
    double rows_read = 0.0;  // by a search, on average
    double recall = 0.0;
  };
  Looked look() {
    constexpr int kQueries = 40;
    Looked looked;
    size_t found = 0, wanted = 0;
    for (int i = 0; i < kQueries; ++i) {
      Query probe{.user = "ana", .embedding = vectors.near(random() % kClusters), .k = 10, .explain = true};
      const SearchResult result = index->search(probe);
      const SearchExplanation& explanation = *result.explanation;
      looked.rows_read += (explanation.rows_read > 0 ? explanation.rows_read : explanation.records) / double{kQueries};
      probe.exact = true;
      std::set<std::string> truth;
      for (const Hit& hit : index->search(probe).hits) truth.insert(hit.id);
      for (const Hit& hit : result.hits) found += truth.contains(hit.id);
      wanted += truth.size();
    }
    looked.recall = static_cast<double>(found) / static_cast<double>(wanted);
    return looked;
  }
};

BOOST_FIXTURE_TEST_CASE(an_index_does_nothing_by_itself_unless_it_is_told, Fixture) {
  index = std::make_unique<Index>(IndexConfig{.dim = kDim});
  fill(2000);
  BOOST_TEST(settled().done == 0u);
  BOOST_TEST(index->layout_map("ana").empty());
}

BOOST_FIXTURE_TEST_CASE(a_user_is_laid_out_when_that_pays, Fixture) {
  fill(kLeastChanged - 1);
  BOOST_TEST(settled().done == 0u);
  fill(2000);
  const AutoConsolidations state = settled();
  BOOST_TEST(state.done == 1u);
  BOOST_TEST(state.failed == 0u);
  BOOST_TEST(state.waiting == 0u);
  BOOST_REQUIRE(state.reports.size() == 1u);
  BOOST_TEST(state.reports[0].records == kLeastChanged + 1999);
  BOOST_TEST(state.reports[0].blocks_after > 1u);
  BOOST_TEST(look().recall >= 0.99);
  BOOST_TEST(index->consolidate("ana", false).skipped == 1u);
}

BOOST_FIXTURE_TEST_CASE(the_work_is_in_proportion_to_the_writes, Fixture,
                        *boost::unit_test::label("long_under_tsan") * boost::unit_test::label("long_under_asan")) {
  constexpr int kRecords = 12000;
  uint64_t laid_out = 0;
  for (int i = 0; i < kRecords; ++i) {
    const uint64_t before = index->auto_consolidations().done;
    test::add(*index, {item()});
    const AutoConsolidations state = settled();
    if (state.done > before) laid_out += state.reports.back().records;
  }
  BOOST_TEST(settled().done > 10u);
  BOOST_TEST(laid_out < 16u * kRecords);
  BOOST_TEST(settled().reports.size() == AutoConsolidations::kReports);
  BOOST_TEST(look().recall >= 0.99);
}

BOOST_FIXTURE_TEST_CASE(a_user_of_steady_size_is_searched_at_a_steady_cost, Fixture,
                        *boost::unit_test::label("long_under_tsan") * boost::unit_test::label("long_under_asan")) {
  constexpr int kSize = 4000;
  constexpr int kRounds = 24;
  fill(kSize);
  int oldest = 0;
  double first = 0.0, last = 0.0, worst = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 300; ++i) {
      test::add(*index, {item()});
      test::remove(*index, "ana", {"r" + std::to_string(oldest++)});
    }
    settled();
    const Looked looked = look();
    BOOST_TEST(looked.recall >= 0.98);
    if (round < kRounds / 3) first += looked.rows_read / (kRounds / 3);
    if (round >= kRounds - kRounds / 3) last += looked.rows_read / (kRounds / 3);
    worst = std::max(worst, looked.rows_read);
  }
  BOOST_TEST(index->size() == static_cast<size_t>(kSize));
  BOOST_TEST(last < 1.25 * first);
  BOOST_TEST(worst < 2.0 * first);
  BOOST_TEST(worst < kSize / 2);
}

BOOST_FIXTURE_TEST_CASE(what_was_removed_costs_nothing_for_long, Fixture) {
  fill(6000);
  settled();
  for (int i = 0; i < 5900; ++i) test::remove(*index, "ana", {"r" + std::to_string(i)});
  settled();
  const Looked looked = look();
  BOOST_TEST(looked.recall >= 0.99);
  BOOST_TEST(looked.rows_read <= 100.0 + kLeastChanged);
}

// One that is under way holds on to the slots, and no write may follow.
BOOST_FIXTURE_TEST_CASE(what_goes_beside_a_consolidation_leaves_few_dead_slots, Fixture) {
  constexpr size_t kGone = 19000;
  std::vector<std::string> names;
  for (size_t i = 0; i < kGone; ++i) names.push_back("r" + std::to_string(i));
  const std::vector<std::string_view> gone(names.begin(), names.end());
  fill(20000);
  BOOST_TEST(index->remove("ana", gone) == kGone);
  settled();
  BOOST_TEST(index->stats("ana")->dead_slots <= 4096u);
  BOOST_TEST(look().recall >= 0.99);
}

BOOST_AUTO_TEST_CASE(dead_slots_that_it_holds_make_writers_wait) {
  VectorTable vectors{RowShape(kDim)};
  std::mt19937 random(5);
  std::vector<float> row(kDim);
  for (Slot slot = 0; slot < kLeastChanged; ++slot) {
    normalize(test::random_vector(kDim, random), row.data());
    vectors.add(slot, 0, row);
  }
  ConsolidationNeed need;
  need.update(vectors);
  BOOST_TEST(!need.behind(vectors, true));  // nobody has taken it on
  BOOST_REQUIRE(need.claim());
  BOOST_TEST(!need.behind(vectors, true));  // nor begun
  vectors.begin_layout();
  BOOST_TEST(need.behind(vectors, true));
  BOOST_TEST(!need.behind(vectors, false));
  vectors.abandon_layout();
}

BOOST_FIXTURE_TEST_CASE(users_take_turns_and_may_go, Fixture) {
  for (int user = 0; user < 12; ++user) fill(700, "user" + std::to_string(user));
  for (int user = 0; user < 12; user += 2) index->forget("user" + std::to_string(user));
  const AutoConsolidations state = settled();
  BOOST_TEST(state.waiting == 0u);
  BOOST_TEST(state.done >= 6u);
  BOOST_TEST(state.done <= 12u);
  for (int user = 1; user < 12; user += 2) BOOST_TEST(index->consolidate("user" + std::to_string(user), false).skipped == 1u);
}

// Whoever adds faster than rows can be laid out is slowed down, while that is under way.
BOOST_AUTO_TEST_CASE(single_records_wait_when_a_consolidation_is_behind, *boost::unit_test::label("long_under_tsan")) {
  constexpr size_t kLargeDim = 4096;
  constexpr size_t kTooMany = kTooManyFreshBytes / kLargeDim;
  std::mt19937 random(5);
  const auto user = std::make_shared<UserIndex>(kLargeDim);
  const Analyzer analyzer(AnalyzerKind::simple);
  const std::vector<float> vector = test::random_vector(kLargeDim, random);
  int next = 0;
  const auto add = [&](size_t count) {
    std::vector<std::string> ids;
    for (size_t i = 0; i < count; ++i) ids.push_back("r" + std::to_string(next++));
    std::vector<UserIndex::NewRecord> records(count);
    for (size_t i = 0; i < count; ++i) {
      records[i].input.user = "ana";
      records[i].input.id = ids[i];
      records[i].input.embedding = vector;
      records[i].id_hash = IdTable::hash(ids[i]);
    }
    const auto start = std::chrono::steady_clock::now();
    user->add(records, analyzer);
    return std::chrono::steady_clock::now() - start;
  };
  const auto quickest = [&] {
    auto best = add(1);
    for (int i = 0; i < 20; ++i) best = std::min(best, add(1));
    return best;
  };
  add(kTooMany + 1);
  BOOST_TEST((quickest() < kPause));  // nobody has taken it on
  BOOST_TEST(user->claim_consolidation());
  BOOST_TEST((quickest() >= kPause));
  user->consolidate(false);
  BOOST_TEST((quickest() < kPause));
  BOOST_TEST(!user->still_needs_consolidation());
}

BOOST_FIXTURE_TEST_CASE(what_somebody_else_has_seen_to_is_not_done_again, Fixture) {
  UserIndex user(kDim);
  fill(user, 2000);
  BOOST_TEST(user.claim_consolidation());
  user.consolidate(true);
  fill(user, 100);
  BOOST_TEST(!user.consolidate_if_needed().has_value());
  BOOST_TEST(!user.claim_consolidation());
  fill(user, 2000);
  BOOST_TEST(user.claim_consolidation());
  const auto report = user.consolidate_if_needed();
  BOOST_REQUIRE(report.has_value());
  BOOST_TEST(report->records == 4100u);
}

BOOST_FIXTURE_TEST_CASE(it_can_be_interrupted_and_taken_up_again, Fixture) {
  AutoConsolidation consolidation;
  const auto user = std::make_shared<UserIndex>(kDim);
  fill(*user, 20000);
  consolidation.consider(user);
  for (int i = 0; i < 20; ++i) {
    consolidation.before_fork();
    consolidation.after_fork(i % 2 == 0);
    std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
  }
  consolidation.before_fork();
  consolidation.after_fork(true);
  consolidation.wait();
  BOOST_TEST(consolidation.state().done == 1u);
  BOOST_TEST(consolidation.state().failed == 0u);
  BOOST_TEST(user->outlook().estimated_gain < kWorthwhileGain);
  consolidation.suspend();
  consolidation.consider(user);
}

BOOST_FIXTURE_TEST_CASE(an_index_may_go_while_it_works, Fixture) {
  for (int i = 0; i < 5; ++i) {
    fill(4000);
    std::this_thread::sleep_for(std::chrono::microseconds(400 * i));
    index = std::make_unique<Index>(IndexConfig{.dim = kDim});
    index->consolidate_by_itself();
  }
}

// For ThreadSanitizer: writers that make consolidations due again and again, beside readers and one who asks for more.
BOOST_FIXTURE_TEST_CASE(everybody_at_once, Fixture) {
  constexpr int kWriters = 2;
  constexpr int kRecords = 2500;
  std::atomic<int> writing = kWriters;
  std::atomic<int> wrong = 0;
  std::vector<std::vector<Item>> items(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    for (int i = 0; i < kRecords; ++i) items[static_cast<size_t>(w)].push_back(item("user" + std::to_string(w)));
  }
  std::vector<std::thread> threads;
  for (const std::vector<Item>& mine : items) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < mine.size(); ++i) {
        test::add(*index, {mine[i]});
        if (i % 3 == 2) wrong += test::remove(*index, mine[i].user, {mine[i - 2].id}) != 1;
      }
      --writing;
    });
  }
  threads.emplace_back([&] {
    for (size_t i = 0; writing > 0; ++i) {
      const Item& asked = items[i % kWriters][i * 31 % kRecords];
      const SearchResult result = index->search({.user = asked.user, .embedding = asked.embedding, .k = 5});
      for (const Hit& hit : result.hits) wrong += hit.id.empty();
      wrong += index->auto_consolidations().failed != 0;
    }
  });
  threads.emplace_back([&] {
    while (writing > 0) index->consolidate("user0", true);
  });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(settled().done >= 1u);
  for (int w = 0; w < kWriters; ++w) {
    BOOST_TEST(index->stats("user" + std::to_string(w))->records == static_cast<size_t>(kRecords - kRecords / 3));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
