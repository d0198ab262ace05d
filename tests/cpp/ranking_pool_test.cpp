#include "ranking/pool.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>

#include "support/recency.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(ranking_pool)

using Position = RankingPool::Position;
constexpr Position kNobody = RankingPool::kNobody;

// Records of one user, in any order of time, without texts and vectors.
struct Fixture {
  UserColumns user{1};
  Admission admission;
  CandidateLists finds;
  RankingPool pool;
  std::mt19937 random{5};

  Slot add(std::string_view session, Micros at, Kind kind = Kind::episodic) {
    const std::string id = "r" + std::to_string(user.slots());
    const Slot slot = user.ids.add(id, IdTable::hash(id));
    RecordInput record;
    record.session = session;
    record.kind = kind;
    user.ats.push_back(at);
    if (slot >= user.live.size()) user.live.resize(std::max<size_t>(64, 2 * size_t{slot}));
    user.live.set(slot);
    user.attributes.add(slot, record, {});
    user.sessions.insert(user.attributes.session(slot), slot, user.recency());
    user.timeline.insert(slot, user.recency());
    return slot;
  }
  void add_line(std::string_view session, size_t turns) {
    for (size_t i = 0; i < turns; ++i) add(session, static_cast<Micros>(user.slots()));
  }

  void gather(const std::vector<Slot>& semantic, const std::vector<Slot>& lexical = {}) {
    for (auto& list : finds) list.clear();
    float score = 0.0f;
    for (const Slot slot : semantic) finds[0].push_back({score -= 1.0f, slot});
    for (const Slot slot : lexical) finds[1].push_back({score -= 1.0f, slot});
    pool.gather(finds, {}, user, admission);
  }
  void gather_all(const std::vector<Slot>& semantic, const std::vector<Slot>& lexical = {}) {
    admission.admit_all(user);
    gather(semantic, lexical);
  }

  std::set<Slot> slots() const {
    const std::set<Slot> found(pool.slots().begin(), pool.slots().end());
    BOOST_TEST(found.size() == pool.size());  // each once
    return found;
  }
  Slot slot_of(Position at) const { return at == kNobody ? kNoSlot : pool.slots()[at]; }
  std::vector<Slot> around(Slot slot) const {
    const Position at = pool.find(slot);
    return {slot_of(pool.neighbor(at, -2)), slot_of(pool.neighbor(at, -1)), slot_of(pool.neighbor(at, 1)),
            slot_of(pool.neighbor(at, 2))};
  }

  // Looks at all turns of all sessions.
  void check_against_naive() {
    std::map<StringPool::Symbol, std::vector<Slot>> sessions;
    for (Slot slot = 0; slot < user.slots(); ++slot) {
      if (user.live.test(slot) && user.attributes.session(slot) != StringPool::kNone) {
        sessions[user.attributes.session(slot)].push_back(slot);
      }
    }
    std::set<Slot> wanted;
    for (const auto& list : finds) {
      for (const Candidate& each : list) wanted.insert(each.slot);
    }
    std::set<Slot> promising;
    for (const auto& list : finds) {
      const size_t best = std::min<size_t>(list.size(), RankingPool::kPromising);
      for (size_t i = 0; i < best; ++i) promising.insert(list[i].slot);
    }
    for (auto& [symbol, turns] : sessions) {
      std::sort(turns.begin(), turns.end(), [this](Slot a, Slot b) {
        return test::newness(user.ats[a], user.ids[a]) < test::newness(user.ats[b], user.ids[b]);
      });
      for (size_t i = 0; i < turns.size(); ++i) {
        for (size_t j = i - std::min<size_t>(i, 2); j < std::min(i + 3, turns.size()); ++j) {
          if (promising.contains(turns[j]) && admission.admits(turns[i])) wanted.insert(turns[i]);
        }
      }
    }
    BOOST_REQUIRE(slots() == wanted);

    std::map<StringPool::Symbol, uint32_t> numbers;
    for (const auto& [symbol, turns] : sessions) {
      for (size_t i = 0; i < turns.size(); ++i) {
        const Position at = pool.find(turns[i]);
        if (at == kNobody) continue;
        BOOST_REQUIRE(slot_of(at) == turns[i]);
        for (const int distance : {-2, -1, 1, 2}) {
          const auto j = static_cast<std::ptrdiff_t>(i) + distance;
          const bool there = j >= 0 && j < static_cast<std::ptrdiff_t>(turns.size()) &&
                             wanted.contains(turns[static_cast<size_t>(j)]);
          BOOST_REQUIRE(slot_of(pool.neighbor(at, distance)) == (there ? turns[static_cast<size_t>(j)] : kNoSlot));
        }
        BOOST_REQUIRE(pool.session(at) < pool.session_count());
        const auto [known, is_new] = numbers.emplace(symbol, pool.session(at));
        BOOST_REQUIRE(known->second == pool.session(at));
      }
    }
    BOOST_REQUIRE(numbers.size() == pool.session_count());
    std::set<uint32_t> distinct;
    for (const auto& [symbol, number] : numbers) distinct.insert(number);
    BOOST_REQUIRE(distinct.size() == numbers.size());

    for (Position at = 0; at < pool.size(); ++at) {
      if (user.attributes.session(pool.slots()[at]) == StringPool::kNone) {
        BOOST_REQUIRE(pool.session(at) == RankingPool::kNoSession);
        BOOST_REQUIRE(pool.neighbor(at, -1) == kNobody);
      }
      for (size_t view = 0; view < kViewCount; ++view) {
        const uint32_t rank = pool.rank(at, static_cast<View>(view));
        BOOST_REQUIRE(rank == pool.ranks(at)[view]);
        if (rank != 0) BOOST_REQUIRE(finds[view][rank - 1].slot == pool.slots()[at]);
      }
    }
    for (size_t view = 0; view < kViewCount; ++view) {
      for (size_t i = 0; i < finds[view].size(); ++i) {
        BOOST_REQUIRE(pool.rank(pool.find(finds[view][i].slot), static_cast<View>(view)) == i + 1);
      }
    }
  }
};

BOOST_FIXTURE_TEST_CASE(two_turns_on_either_side_of_a_find_join_it, Fixture) {
  add_line("s", 9);
  gather_all({4});
  BOOST_TEST(slots() == (std::set<Slot>{2, 3, 4, 5, 6}));
  BOOST_TEST(around(4) == (std::vector<Slot>{2, 3, 5, 6}));
  BOOST_TEST(around(2) == (std::vector<Slot>{kNoSlot, kNoSlot, 3, 4}));
  BOOST_TEST(pool.find(1) == kNobody);
  BOOST_TEST(pool.rank(pool.find(4), View::semantic) == 1u);
  BOOST_TEST(pool.rank(pool.find(4), View::lexical) == 0u);
  BOOST_TEST(pool.rank(pool.find(3), View::semantic) == 0u);
}

BOOST_FIXTURE_TEST_CASE(sessions_end, Fixture) {
  add_line("s", 2);
  add_line("t", 2);
  gather_all({0, 3});
  BOOST_TEST(slots() == (std::set<Slot>{0, 1, 2, 3}));
  BOOST_TEST(around(1) == (std::vector<Slot>{kNoSlot, 0, kNoSlot, kNoSlot}));
  BOOST_TEST(pool.session_count() == 2u);
  BOOST_TEST(pool.session(pool.find(0)) == pool.session(pool.find(1)));
  BOOST_TEST(pool.session(pool.find(0)) != pool.session(pool.find(2)));
}

BOOST_FIXTURE_TEST_CASE(what_two_views_find_comes_once, Fixture) {
  add_line("s", 5);
  gather_all({2, 3}, {3, 4});
  BOOST_TEST(slots() == (std::set<Slot>{0, 1, 2, 3, 4}));
  BOOST_TEST(pool.rank(pool.find(3), View::semantic) == 2u);
  BOOST_TEST(pool.rank(pool.find(3), View::lexical) == 1u);
}

BOOST_FIXTURE_TEST_CASE(equal_scores_share_a_rank_but_in_an_order_of_time, Fixture) {
  add_line("", 5);
  admission.admit_all(user);
  for (auto& list : finds) list = {{3.0f, 1}, {2.0f, 2}, {2.0f, 3}, {1.0f, 4}};
  pool.gather(finds, {}, user, admission);
  const auto ranks = [&](View view) {
    std::vector<uint32_t> found;
    for (Slot slot = 1; slot <= 4; ++slot) found.push_back(pool.rank(pool.find(slot), view));
    return found;
  };
  BOOST_TEST(ranks(View::semantic) == (std::vector<uint32_t>{1, 2, 2, 4}));
  BOOST_TEST(ranks(View::lexical) == (std::vector<uint32_t>{1, 2, 2, 4}));
  BOOST_TEST(ranks(View::symbolic) == (std::vector<uint32_t>{1, 2, 3, 4}));
}

BOOST_FIXTURE_TEST_CASE(what_times_bring_has_no_rank_and_brings_no_neighbours, Fixture) {
  add_line("s", 9);
  admission.admit_all(user);
  finds[0] = {{1.0f, 3}};
  const std::vector<Slot> hinted = {3, 4, 8, 4};
  pool.gather(finds, hinted, user, admission);
  BOOST_TEST(slots() == (std::set<Slot>{1, 2, 3, 4, 5, 8}));
  BOOST_TEST(pool.rank(pool.find(3), View::semantic) == 1u);
  BOOST_TEST(pool.rank(pool.find(8), View::semantic) == 0u);
  BOOST_TEST(pool.session(pool.find(8)) == pool.session(pool.find(3)));
  BOOST_TEST(around(4) == (std::vector<Slot>{2, 3, 5, kNoSlot}));
}

BOOST_FIXTURE_TEST_CASE(records_without_a_session_stand_alone, Fixture) {
  add_line("", 5);
  gather_all({2});
  BOOST_TEST(slots() == (std::set<Slot>{2}));
  BOOST_TEST(pool.session(0) == RankingPool::kNoSession);
  BOOST_TEST(around(2) == std::vector<Slot>(4, kNoSlot));
  BOOST_TEST(pool.session_count() == 0u);
}

BOOST_FIXTURE_TEST_CASE(nothing_found_is_an_empty_pool, Fixture) {
  add_line("s", 5);
  gather_all({1});
  gather_all({});
  BOOST_TEST(pool.size() == 0u);
  BOOST_TEST(pool.session_count() == 0u);
  BOOST_TEST(pool.find(1) == kNobody);
}

BOOST_FIXTURE_TEST_CASE(only_the_best_finds_bring_their_neighbours, Fixture) {
  add_line("s", 1000);
  std::vector<Slot> list;
  for (Slot slot = 5; slot < 500; slot += 5) list.push_back(slot);
  gather_all(list);
  const Slot last = list[RankingPool::kPromising - 1];
  BOOST_TEST(pool.find(last + 2) != kNobody);
  BOOST_TEST(pool.find(last + 3) == kNobody);
  BOOST_TEST(pool.find(last + 4) == kNobody);
  BOOST_TEST(pool.find(last + 5) != kNobody);
  BOOST_TEST(pool.size() == list.size() + 4 * RankingPool::kPromising);
  check_against_naive();
  gather_all(list, {last + 5});  // the best of another view
  BOOST_TEST(pool.find(last + 4) != kNobody);
  check_against_naive();
}

// Of a session of any length: walked if it is short, looked into if it is long.
BOOST_FIXTURE_TEST_CASE(neighbours_of_different_finds_know_each_other, Fixture) {
  for (const size_t turns : {20u, 2000u}) {
    for (Slot gap = 1; gap < 12; ++gap) {
      Fixture fixture;
      fixture.add_line("s", turns);
      fixture.gather_all({4, 4 + gap});
      fixture.check_against_naive();
    }
  }
}

BOOST_FIXTURE_TEST_CASE(refused_turns_stay_out_and_are_no_neighbours, Fixture) {
  for (const size_t turns : {9u, 900u}) {
    Fixture fixture;
    for (size_t i = 0; i < turns; ++i) fixture.add("s", static_cast<Micros>(i), i == 5 ? Kind::vault : Kind::episodic);
    Query query{.user = "ana", .text = "x"};
    PreparedQuery prepared;
    prepare(query, IndexConfig{.dim = 1}, Analyzer(AnalyzerKind::simple), prepared);
    fixture.admission.admit(fixture.user, prepared);
    fixture.gather({4});
    BOOST_TEST(fixture.slots() == (std::set<Slot>{2, 3, 4, 6}));
    BOOST_TEST(fixture.around(4) == (std::vector<Slot>{2, 3, kNoSlot, 6}));  // it still takes its place
    fixture.check_against_naive();
  }
}

BOOST_FIXTURE_TEST_CASE(random_sessions_give_the_pool_of_a_naive_one, Fixture) {
  for (int round = 0; round < 150; ++round) {
    Fixture fixture;
    fixture.random.seed(static_cast<unsigned>(round));
    std::mt19937& draw = fixture.random;
    const size_t records = 1 + draw() % 1500;
    const size_t sessions = 1 + draw() % (round % 3 == 0 ? 3 : 60);
    for (size_t i = 0; i < records; ++i) {
      const auto number = draw() % (sessions + 1);
      const std::string session = number == 0 ? "" : "s" + std::to_string(number);
      // Many turns at the same time: their order is that of their ids.
      const auto at = static_cast<Micros>(draw() % (records / 2 + 1));
      fixture.add(session, at, draw() % 5 == 0 ? Kind::semantic : Kind::episodic);
    }
    Query query{.user = "ana", .text = "x"};
    if (draw() % 2 == 0) query.kinds = {{Kind::episodic}};
    if (draw() % 3 == 0) query.between = {{static_cast<Micros>(records / 8), static_cast<Micros>(records / 3)}};
    PreparedQuery prepared;
    prepare(query, IndexConfig{.dim = 1}, Analyzer(AnalyzerKind::simple), prepared);
    fixture.admission.admit(fixture.user, prepared);
    for (int search = 0; search < 3; ++search) {  // one pool, several times
      std::array<std::vector<Slot>, 2> lists;
      for (auto& list : lists) {
        std::set<Slot> chosen;
        const size_t wanted = draw() % 4 == 0 ? 0 : 1 + draw() % (search == 0 ? 4 : 200);
        for (size_t i = 0; i < wanted; ++i) {
          const auto slot = static_cast<Slot>(draw() % records);
          if (fixture.admission.admits(slot) && chosen.insert(slot).second) list.push_back(slot);
        }
      }
      fixture.gather(lists[0], lists[1]);
      fixture.check_against_naive();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
