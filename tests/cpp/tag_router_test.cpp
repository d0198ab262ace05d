#include "tags/tag_router.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "support/amount.hpp"
#include "support/records.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_router)

using test::random_vector;
using Routed = std::vector<std::pair<std::string, float>>;

constexpr size_t kDim = 24;

std::vector<float> unit(std::vector<float> vector) {
  normalize(vector, vector.data());
  return vector;
}

struct Fixture {
  std::mt19937 random{1};
  TagDag tags;
  VectorTable vectors{kDim};
  TagRouter router{kDim};
  std::vector<float> buffer;
  TagDag::Changed changed = [this](TagId tag) { router.changed(tag); };

  void embed(const std::string& name) {
    tags.set_embedding(tags.find_or_create(name), unit(random_vector(kDim, random)), changed);
  }
  Slot add_record(const std::vector<std::string>& names, const std::vector<float>& vector) {
    const Slot slot = next++;
    vectors.add(slot, 0, vector);
    tags.add_record(slot, names);
    for (TagId tag : tags.tags_of(slot)) router.record_added(tag, slot, embedding(slot));
    return slot;
  }
  void remove_record(Slot slot) {
    for (TagId tag : tags.tags_of(slot)) router.record_removed(tag, slot, embedding(slot));
    tags.remove_record(slot, changed);
    vectors.remove(slot);
  }
  std::span<const float> embedding(Slot slot) {
    return vectors.has(slot) ? vectors.floats(slot, buffer) : std::span<const float>();
  }
  // How many vectors went into the graph.
  int feed_graph() {
    router.catch_up(tags, vectors, ~size_t{0});
    int steps = 0;
    for (TagRouter::GraphStep step; router.next_step(step); ++steps) step.run();
    return steps;
  }
  Routed route(const std::vector<float>& query, size_t k, RouteMethod method) {
    if (method == RouteMethod::hnsw) feed_graph();
    Routed named;
    for (const auto& [tag, score] : router.route(query.data(), k, method, tags, vectors)) {
      named.emplace_back(tags.name(tag), score);
    }
    return named;
  }
  // How often the graph's answer differs from the exact one.
  int differences(int queries, size_t k) {
    int count = 0;
    for (int i = 0; i < queries; ++i) {
      const std::vector<float> query = unit(random_vector(kDim, random));
      count += route(query, k, RouteMethod::hnsw) != route(query, k, RouteMethod::exact);
    }
    return count;
  }

  Slot next = 0;
};

BOOST_FIXTURE_TEST_CASE(no_tag_with_a_vector_no_answer, Fixture) {
  const std::vector<float> query = unit(random_vector(kDim, random));
  for (const RouteMethod method : {RouteMethod::automatic, RouteMethod::exact, RouteMethod::hnsw}) {
    BOOST_TEST(route(query, 5, method).empty());
  }
  tags.relate("only", "related");
  add_record({"without_embedding"}, {});
  for (const RouteMethod method : {RouteMethod::automatic, RouteMethod::exact, RouteMethod::hnsw}) {
    BOOST_TEST(route(query, 5, method).empty());
  }
}

// The sums that follow each record give what reading all records anew gives.
BOOST_FIXTURE_TEST_CASE(kept_sums_equal_new_ones, Fixture) {
  std::vector<Slot> alive;
  for (int step = 0; step < 1500; ++step) {
    if (alive.size() < 150 || random() % 2 == 0) {
      const std::vector<std::string> names = {"all", "t" + std::to_string(random() % 3)};
      alive.push_back(add_record(names, random() % 8 == 0 ? std::vector<float>() : random_vector(kDim, random)));
    } else {
      const size_t victim = random() % alive.size();
      remove_record(alive[victim]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    if (step % 50 != 0) continue;
    const std::vector<float> query = unit(random_vector(kDim, random));
    const Routed kept = route(query, 10, RouteMethod::exact);
    const TagRouter anew(kDim);
    const auto made = anew.route(query.data(), 10, RouteMethod::exact, tags, vectors);
    BOOST_REQUIRE(kept.size() == made.size());
    for (size_t i = 0; i < kept.size(); ++i) BOOST_REQUIRE(std::abs(kept[i].second - made[i].second) < 1e-6f);
  }
}

BOOST_FIXTURE_TEST_CASE(a_tag_lies_at_the_mean_of_its_records, Fixture) {
  std::vector<float> x(kDim, 0.0f);
  std::vector<float> y(kDim, 0.0f);
  x[0] = 2.0f;  // normalised on the way in: the mean is of directions
  y[1] = 0.5f;
  add_record({"both", "first"}, x);
  const Slot second = add_record({"both"}, y);
  add_record({"both"}, {});
  const Routed routed = route(unit(x), 5, RouteMethod::automatic);
  BOOST_REQUIRE(routed.size() == 2u);
  BOOST_TEST(routed[0].first == "first");
  BOOST_TEST(std::abs(routed[0].second - 1.0f) < 1e-6f);
  BOOST_TEST(std::abs(routed[1].second - std::sqrt(0.5f)) < 1e-6f);

  remove_record(second);
  const Routed after = route(unit(x), 5, RouteMethod::automatic);
  BOOST_TEST(after[0].first == "both");  // equal cosines by name
  BOOST_TEST(after[0].second == after[1].second);
}

BOOST_FIXTURE_TEST_CASE(an_embedding_of_its_own_wins_over_the_records, Fixture) {
  std::vector<float> x(kDim, 0.0f);
  x[0] = 1.0f;
  add_record({"a"}, x);
  std::vector<float> z(kDim, 0.0f);
  z[2] = 1.0f;
  tags.set_embedding(tags.find("a").value(), z, changed);
  BOOST_TEST(route(z, 1, RouteMethod::exact)[0].second == 1.0f);
  BOOST_TEST(route(x, 1, RouteMethod::exact)[0].second == 0.0f);
}

BOOST_FIXTURE_TEST_CASE(opposite_records_cancel_out, Fixture) {
  std::vector<float> x = random_vector(kDim, random);
  add_record({"a"}, x);
  for (float& value : x) value = -value;
  add_record({"a"}, x);
  BOOST_TEST(route(unit(x), 1, RouteMethod::exact).empty());
}

// Reads what changed piece by piece, while records come and go between the pieces.
BOOST_FIXTURE_TEST_CASE(pieces_beside_writes_give_what_one_reading_gives, Fixture) {
  std::vector<Slot> alive;
  const auto write = [&] {
    if (alive.size() < 400 || random() % 2 == 0) {
      alive.push_back(add_record({"all", "t" + std::to_string(random() % 40)}, random_vector(kDim, random)));
    } else {
      const size_t victim = random() % alive.size();
      remove_record(alive[victim]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    if (random() % 50 == 0) tags.set_embedding(tags.find_or_create("own" + std::to_string(random() % 9)), unit(random_vector(kDim, random)), changed);
    if (random() % 50 == 0 && tags.find("t1")) tags.drop(*tags.find("t1"), changed);
    if (random() % 50 == 0 && tags.find("t2") && tags.find("t3")) tags.merge(std::array{*tags.find("t2")}, *tags.find("t3"), changed);
  };
  while (alive.size() < 500) write();
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) write();
    if (tags.find("all") && round % 4 == 0) router.changed(*tags.find("all"));  // from its first record on
    int pieces = 1;
    for (; !router.catch_up(tags, vectors, 30 * kDim); ++pieces) write();
    if (round % 4 == 0) BOOST_TEST(pieces > 10);
    BOOST_TEST(router.ready(tags));
    const std::vector<float> query = unit(random_vector(kDim, random));
    const Routed routed = route(query, 60, RouteMethod::exact);
    const TagRouter anew(kDim);
    const auto made = anew.route(query.data(), 60, RouteMethod::exact, tags, vectors);
    BOOST_REQUIRE(routed.size() == made.size());
    for (size_t i = 0; i < routed.size(); ++i) BOOST_REQUIRE(std::abs(routed[i].second - made[i].second) < 1e-6f);
  }
}

// No piece reads more than it may, but one record: the bound of what is done under the user's lock at a time.
BOOST_FIXTURE_TEST_CASE(a_piece_reads_no_more_than_it_may, Fixture) {
  constexpr size_t kRecords = 1000;
  for (size_t i = 0; i < kRecords; ++i) add_record({"all"}, random_vector(kDim, random));
  for (const size_t records : {size_t{1}, size_t{10}, size_t{300}}) {
    router.changed(*tags.find("all"));
    size_t pieces = 1;
    while (!router.catch_up(tags, vectors, records * kDim)) ++pieces;
    BOOST_TEST(pieces >= kRecords / records);
    BOOST_TEST(pieces <= kRecords / records + 2);
  }
}

// Codes find what floats find, with the same bits, ties included, however near each other the tags lie.
BOOST_FIXTURE_TEST_CASE(automatic_and_exact_agree, Fixture) {
  for (const float spread : {1.0f, 0.2f, 0.01f, 0.0f}) {
    for (int i = 0; i < 700; ++i) {
      std::vector<float> vector(kDim, 1.0f);
      const std::vector<float> noise = random_vector(kDim, random);
      for (size_t d = 0; d < kDim; ++d) vector[d] += spread * (noise[d] - 1.0f);
      tags.set_embedding(tags.find_or_create("tag" + std::to_string(i)), unit(vector), changed);
    }
    for (const size_t k : {size_t{1}, size_t{10}, size_t{500}, size_t{2000}}) {
      for (int i = 0; i < 10; ++i) {
        const std::vector<float> query = unit(random_vector(kDim, random));
        BOOST_TEST((route(query, k, RouteMethod::automatic) == route(query, k, RouteMethod::exact)));
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(graph_and_exact_agree_under_changes, Fixture) {
  constexpr size_t kTags = test::amount(3000);
  for (size_t i = 0; i < kTags; ++i) embed("tag" + std::to_string(i));
  BOOST_TEST(differences(60, 10) == 0);
  BOOST_TEST(differences(10, 100) == 0);

  for (size_t i = 0; i < kTags / 8; ++i) embed("tag" + std::to_string(random() % kTags));  // moves
  BOOST_TEST(differences(30, 10) == 0);
  for (size_t i = 0; i < kTags / 8; ++i) {
    const auto tag = tags.find("tag" + std::to_string(random() % kTags));
    if (tag) tags.drop(*tag, changed);
  }
  BOOST_TEST(differences(30, 10) == 0);
  for (size_t i = 0; i < kTags / 6; ++i) embed("new" + std::to_string(i));  // takes the numbers of dropped tags first
  BOOST_TEST(differences(30, 10) == 0);
  for (size_t i = 0; i < kTags / 2; ++i) embed("more" + std::to_string(i));  // enough for a new graph
  BOOST_TEST(differences(30, 10) == 0);
}

BOOST_FIXTURE_TEST_CASE(the_graph_takes_up_what_changed_and_no_more, Fixture, *boost::unit_test::label("long_under_asan")) {
  for (int i = 0; i < 1000; ++i) embed("tag" + std::to_string(i));
  BOOST_TEST(feed_graph() >= 980);
  const auto near_itself = [&](const std::string& name) {
    const TagId tag = *tags.find(name);
    const std::vector<float> own(tags.embedding(tag).begin(), tags.embedding(tag).end());
    return route(own, 1, RouteMethod::hnsw)[0].first == name;
  };
  int steps = 0;
  for (int i = 0; i < 100; ++i) {
    embed("tag" + std::to_string(i));
    steps += feed_graph();
    BOOST_REQUIRE(near_itself("tag" + std::to_string(i)));  // whether the graph has it or not
  }
  BOOST_TEST(steps <= 100 + 16);
  for (int i = 0; i < 400; ++i) embed("tag" + std::to_string(i));
  BOOST_TEST(feed_graph() >= 900);  // more than a quarter: anew
}

// What a pass that ended early took along is compared directly.
BOOST_FIXTURE_TEST_CASE(a_step_that_failed_loses_no_tag, Fixture) {
  for (int i = 0; i < 200; ++i) embed("tag" + std::to_string(i));
  for (int i = 0; i < 200; ++i) {
    router.catch_up(tags, vectors);
    TagRouter::GraphStep lost;
    router.next_step(lost);
  }
  BOOST_TEST(differences(40, 10) == 0);
}

BOOST_FIXTURE_TEST_CASE(dropping_every_tag_empties_the_graph, Fixture) {
  for (int i = 0; i < 50; ++i) embed("tag" + std::to_string(i));
  const std::vector<float> query = unit(random_vector(kDim, random));
  BOOST_TEST(route(query, 100, RouteMethod::hnsw).size() == 50u);
  for (int i = 0; i < 50; ++i) {
    tags.drop(tags.find("tag" + std::to_string(i)).value(), changed);
    BOOST_TEST(route(query, 100, RouteMethod::hnsw).size() == 49u - static_cast<size_t>(i));
  }
  embed("again");
  BOOST_TEST(route(query, 100, RouteMethod::hnsw).size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_same_tags_give_the_same_graph) {
  Fixture first;
  Fixture second;
  for (int i = 0; i < 1500; ++i) {
    first.embed("tag" + std::to_string(i));
    second.embed("tag" + std::to_string(i));
  }
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> query = unit(random_vector(kDim, first.random));
    BOOST_TEST((first.route(query, 30, RouteMethod::hnsw) == second.route(query, 30, RouteMethod::hnsw)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
