#include "memspan/duplicates.hpp"

#include <boost/test/unit_test.hpp>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "memspan/error.hpp"
#include "support/amount.hpp"
#include "support/clustered.hpp"
#include "support/messages.hpp"
#include "support/records.hpp"
#include "vectors/leading_directions.hpp"
#include "vectors/near_pairs.hpp"
#include "vectors/row_shape.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(duplicates)

using test::Item;
using Pairs = std::map<std::pair<std::string, std::string>, float>;

// As the index keeps it.
std::vector<float> unit(const std::vector<float>& vector, RowFormat format = RowFormat::float32) {
  std::vector<float> out(vector.size());
  normalize(vector, out.data());
  const RowShape shape(out.size(), format);
  std::vector<std::byte> row(shape.bytes());
  shape.write(out.data(), row.data());
  std::vector<float> buffer(out.size());
  const float* const kept = shape.floats(row.data(), buffer.data());
  return {kept, kept + out.size()};
}

Pairs pairs_of(const Duplicates& found) {
  Pairs pairs;
  for (const DuplicatePair& pair : found.pairs) {
    BOOST_REQUIRE(pair.first < pair.second);
    BOOST_REQUIRE(pairs.emplace(std::pair(pair.first, pair.second), pair.cosine).second);
  }
  return pairs;
}

// What the call promises, computed one pair at a time: once for all thresholds from the least on.
class Compared {
 public:
  Compared(const std::vector<Item>& items, float least, RowFormat format = RowFormat::float32) : items_(items) {
    std::vector<std::vector<float>> units;
    for (const Item& item : items) units.push_back(unit(item.embedding, format));
    for (size_t i = 0; i < items.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const Item& a = items[i];
        const Item& b = items[j];
        if (a.kind != b.kind || a.until != kForever || b.until != kForever || a.embedding.empty() || b.embedding.empty()) continue;
        const float cosine = kernels().dot(units[i].data(), units[j].data(), a.embedding.size());
        if (cosine >= least) near_.push_back({i, j, cosine});
      }
    }
  }

  Pairs expected(const DuplicateQuery& query) const {
    Pairs pairs;
    for (const Near& near : near_) {
      const Item& a = items_[near.i];
      const Item& b = items_[near.j];
      if (near.cosine < query.threshold || (a.recorded_at < query.since && b.recorded_at < query.since)) continue;
      if (std::find(query.kinds.begin(), query.kinds.end(), a.kind) == query.kinds.end()) continue;
      pairs[std::minmax(a.id, b.id)] = std::min(near.cosine, 1.0f);
    }
    return pairs;
  }

 private:
  struct Near {
    size_t i;
    size_t j;
    float cosine;
  };
  const std::vector<Item>& items_;
  std::vector<Near> near_;
};

std::vector<Item> conversation(size_t count, size_t dim, size_t clusters, std::mt19937& random) {
  test::ClusteredVectors vectors(dim, clusters, random);
  std::normal_distribution<float> noise;
  std::vector<Item> items;
  for (size_t i = 0; i < count; ++i) {
    Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(i), .text = "word"};
    item.recorded_at = static_cast<Micros>(i);
    item.embedding = vectors.near(random());
    if (!items.empty() && random() % 4 == 0) {
      const float distance = 0.6f * static_cast<float>(1 + random() % 100) / 100.0f;
      item.embedding = items[random() % items.size()].embedding;
      for (float& value : item.embedding) value += distance * noise(random);
    }
    if (random() % 16 == 0) item.kind = Kind::semantic;
    if (random() % 16 == 0) item.until = static_cast<Micros>(count);
    items.push_back(std::move(item));
  }
  return items;
}

BOOST_AUTO_TEST_CASE(it_finds_what_every_single_comparison_finds, *boost::unit_test::label("long_under_tsan")) {
  for (const size_t dim : {3u, 17u, 64u, 200u}) {
    const RowFormat format = dim == 200 ? RowFormat::bfloat16 : RowFormat::float32;
    std::mt19937 random(static_cast<unsigned>(dim));
    const std::vector<Item> items = conversation(480, dim, 9, random);
    Index index(IndexConfig{.dim = static_cast<uint32_t>(dim), .row_format = format});
    test::add(index, items);
    const Compared compared(items, 0.5f, format);
    for (const float threshold : {0.5f, 0.8f, 0.9f, 0.97f, 0.999f}) {
      for (const Micros since : {Micros{0}, Micros{360}, Micros{5000}}) {
        DuplicateQuery query{.threshold = threshold, .kinds = {Kind::episodic, Kind::semantic}, .since = since};
        const Pairs wanted = compared.expected(query);
        const Duplicates found = index.duplicates("ana", query);
        BOOST_TEST(found.complete);
        const Pairs pairs = pairs_of(found);
        for (const auto& [pair, cosine] : wanted) {
          if (!pairs.contains(pair)) BOOST_ERROR(pair.first << " " << pair.second << " " << cosine << " at " << threshold);
        }
        for (const auto& [pair, cosine] : pairs) {
          if (!wanted.contains(pair) && cosine >= threshold) BOOST_ERROR(pair.first << " " << pair.second << " " << cosine);
        }
        BOOST_TEST(std::is_sorted(found.pairs.begin(), found.pairs.end(),
                                  [](const auto& a, const auto& b) { return a.cosine > b.cosine; }));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(many_records_are_compared_on_many_threads) {
  std::mt19937 random(5);
  const std::vector<Item> items = conversation(test::kSanitized ? 1300 : 2500, 96, 40, random);
  Index index(IndexConfig{.dim = 96});
  test::add(index, items);
  DuplicateQuery query{.threshold = 0.95f, .kinds = {Kind::episodic}};
  const Pairs wanted = Compared(items, query.threshold).expected(query);
  BOOST_TEST(wanted.size() > 100u);
  index.consolidate("ana", true);
  for (const unsigned threads : {0u, 1u, 3u, 1000u}) {
    query.threads = threads;
    const Pairs pairs = pairs_of(index.duplicates("ana", query));
    for (const auto& [pair, cosine] : wanted) BOOST_TEST(pairs.contains(pair));
    BOOST_TEST(pairs.size() <= wanted.size() + 2);
  }
}

BOOST_AUTO_TEST_CASE(those_who_help_hand_their_pairs_to_the_caller) {
  constexpr size_t kVectors = test::amount(4000);
  std::mt19937 random(6);
  std::vector<float> sample;
  std::vector<std::vector<float>> units;
  for (size_t i = 0; i < kVectors; ++i) {
    units.push_back(unit(i % 8 == 7 ? units[i - 7] : test::random_vector(32, random)));
    sample.insert(sample.end(), units.back().begin(), units.back().end());
  }
  NearPairs near(32, kVectors, std::span(sample).first(32 * 512));
  for (const std::vector<float>& vector : units) near.add(vector.data());
  for (const size_t workers : {size_t{1}, size_t{4}}) {
    std::set<NearPairs::Pair> pairs;
    near.find(kVectors, 0.999f, workers, [&, caller = std::this_thread::get_id()](std::span<const NearPairs::Pair> some) {
      BOOST_REQUIRE(std::this_thread::get_id() == caller);
      for (const NearPairs::Pair& pair : some) BOOST_TEST(pairs.insert(pair).second);
      return true;
    });
    for (uint32_t i = 7; i < kVectors; i += 8) BOOST_TEST(pairs.contains({i - 7, i}));
    pairs.clear();
    near.find(kVectors, 0.999f, workers, [&](std::span<const NearPairs::Pair> some) {
      pairs.insert(some.begin(), some.end());
      return false;
    });
    BOOST_TEST(!pairs.empty());
  }
}

BOOST_AUTO_TEST_CASE(of_equal_embeddings_one_stands_for_all) {
  std::mt19937 random(7);
  const std::vector<float> same = test::random_vector(32, random);
  std::vector<float> near = same;
  near[0] += 0.01f;
  std::vector<Item> items;
  for (int i = 0; i < 3000; ++i) items.push_back({.id = "r" + std::to_string(i), .embedding = same});
  items.push_back({.id = "near", .embedding = near});
  Index index(IndexConfig{.dim = 32});
  test::add(index, items);
  const Duplicates found = index.duplicates("ana", {.threshold = 0.99f, .kinds = {Kind::episodic}});
  BOOST_TEST(found.pairs.size() == 3000u);
  BOOST_TEST(found.records == 3001u);
  std::set<std::string> named;
  for (const DuplicatePair& pair : found.pairs) named.insert({pair.first, pair.second});
  BOOST_TEST(named.size() == 3001u);
  BOOST_TEST(index.duplicates("ana", {.threshold = 1.0f, .kinds = {Kind::episodic}}).pairs.size() == 2999u);
}

BOOST_AUTO_TEST_CASE(there_may_be_more_than_are_wanted) {
  std::mt19937 random(8);
  const std::vector<Item> items = conversation(400, 24, 2, random);
  Index index(IndexConfig{.dim = 24});
  test::add(index, items);
  const DuplicateQuery all{.threshold = 0.5f, .kinds = {Kind::episodic, Kind::semantic}};
  const size_t count = index.duplicates("ana", all).pairs.size();
  DuplicateQuery few = all;
  few.most = count / 2;
  const Duplicates found = index.duplicates("ana", few);
  BOOST_TEST(!found.complete);
  BOOST_TEST(found.pairs.size() == few.most);
  few.most = count;
  BOOST_TEST(index.duplicates("ana", few).complete);
}

BOOST_AUTO_TEST_CASE(empty_and_unknown_users_and_bad_thresholds) {
  Index index(IndexConfig{.dim = 4});
  const DuplicateQuery query{.kinds = {Kind::episodic}};
  BOOST_TEST(index.duplicates("bob", query).pairs.empty());
  test::add(index, {{.id = "a", .text = "no embedding"}, {.id = "b", .embedding = {1, 0, 0, 0}}});
  BOOST_TEST(index.duplicates("ana", query).pairs.empty());
  for (const float threshold : {0.0f, -1.0f, 1.5f, std::numeric_limits<float>::quiet_NaN()}) {
    BOOST_CHECK_EXCEPTION(index.duplicates("ana", {.threshold = threshold, .kinds = {Kind::episodic}}), InvalidArgument,
                          test::Mentions({"threshold", "at most 1"}));
  }
}

// Writes, removals, searches and compactions meanwhile: the pairs that nobody touches are found in every call.
BOOST_AUTO_TEST_CASE(what_stays_is_found_while_the_rest_changes) {
  std::mt19937 random(9);
  std::vector<Item> stays;
  for (int i = 0; i < 60; ++i) {
    std::vector<float> vector = test::random_vector(48, random);
    stays.push_back({.id = "a" + std::to_string(i), .embedding = vector});
    vector[1] += 0.02f;
    stays.push_back({.id = "b" + std::to_string(i), .embedding = vector});
  }
  Index index(IndexConfig{.dim = 48});
  test::add(index, stays);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::mt19937 own(10);
    for (int round = 0; !done; ++round) {
      const std::vector<Item> items = conversation(test::amount(6000), 48, 10, own);
      test::add(index, items);
      std::vector<std::string_view> ids;
      for (const Item& item : items) ids.push_back(item.id);
      index.remove("ana", ids);
    }
  });
  for (int i = 0; i < 12; ++i) {
    const Pairs pairs = pairs_of(index.duplicates("ana", {.threshold = 0.99f, .kinds = {Kind::episodic}}));
    for (int n = 0; n < 60; ++n) {
      BOOST_TEST(pairs.contains({"a" + std::to_string(n), "b" + std::to_string(n)}));
    }
  }
  done = true;
  writer.join();
}

// Records get other numbers while they are listed, and the two that were learnt last may have been passed.
BOOST_AUTO_TEST_CASE(what_was_learnt_last_is_found_while_records_move) {
  constexpr Micros kSince = 500;
  std::mt19937 random(12);
  std::vector<Item> items = conversation(test::amount(8000), 4, 10, random);
  for (Item& item : items) item.recorded_at = 10;
  for (const char* id : {"x", "y"}) items.push_back({.id = id, .embedding = {1.0f, 0.0f, 0.0f, 0.0f}, .recorded_at = kSince});
  std::vector<std::string_view> gone;
  for (const Item& item : items) {
    if (item.recorded_at < kSince) gone.push_back(item.id);
  }
  for (size_t round = 0; round < test::amount(50); ++round) {
    Index index(IndexConfig{.dim = 4});
    test::add(index, items);
    std::jthread remover([&] { index.remove("ana", gone); });
    for (int i = 0; i < 10; ++i) {
      const Duplicates found = index.duplicates("ana", {.threshold = 0.9999f, .kinds = {Kind::episodic}, .since = kSince, .threads = 1});
      BOOST_REQUIRE(pairs_of(found).contains({"x", "y"}));
    }
  }
}

BOOST_AUTO_TEST_CASE(directions_are_orthonormal_whatever_the_sample) {
  std::mt19937 random(11);
  std::vector<float> flat;  // ten rows in a plane of 20 dimensions, and one row many times
  for (int i = 0; i < 10; ++i) {
    for (int d = 0; d < 20; ++d) flat.push_back(d < 2 ? static_cast<float>(random() % 100) : 0.0f);
  }
  const std::vector<float> once(20 * 8, 0.5f);
  for (const std::vector<float>& sample : {flat, once, std::vector<float>()}) {
    for (const Origin origin : {Origin::mean, Origin::zero}) {
      const LeadingDirections found = find_leading_directions(sample, 20, 12, origin);
      BOOST_TEST(found.count <= 2u);
      for (size_t a = 0; a < found.count; ++a) {
        for (size_t b = 0; b <= a; ++b) {
          const float product = kernels().dot(found.rows.data() + a * 20, found.rows.data() + b * 20, 20);
          BOOST_TEST(std::abs(product - (a == b ? 1.0f : 0.0f)) < 1e-5f);
        }
      }
    }
  }
  // One row many times differs from zero alone, in its own direction.
  BOOST_TEST(find_leading_directions(once, 20, 12, Origin::mean).count == 0u);
  const LeadingDirections own = find_leading_directions(once, 20, 12, Origin::zero);
  BOOST_REQUIRE(own.count == 1u);
  BOOST_TEST(std::abs(own.rows[7]) == static_cast<float>(1.0 / std::sqrt(20.0)), boost::test_tools::tolerance(1e-4f));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
