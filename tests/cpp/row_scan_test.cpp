// Exact searches leave rows out by what their codes say at most: never one that belongs to the best, whatever the vectors.
#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "support/amount.hpp"
#include "support/columns.hpp"
#include "support/row_scan.hpp"
#include "support/records.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(row_scan)

using Vector = std::vector<float>;
using Bits = std::vector<std::pair<Slot, uint32_t>>;

Bits taken(TopK& best) {
  Bits bits;
  for (const Candidate& candidate : best.take()) bits.emplace_back(candidate.slot, std::bit_cast<uint32_t>(candidate.score));
  return bits;
}

Vector unit(Vector vector) {
  normalize(vector, vector.data());
  return vector;
}

// Vectors of one kind each.
struct Vectors {
  const char* name;
  Vector (*make)(size_t dim, size_t i, std::mt19937& random);
};

Vector beside(Vector vector, float distance, std::mt19937& random) {
  std::normal_distribution<float> normal(0.0f, distance / std::sqrt(static_cast<float>(vector.size())));
  for (float& value : vector) value += normal(random);
  return vector;
}

Vector direction(size_t dim, size_t seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  return test::random_vector(dim, random);
}

const Vectors kVectors[] = {
    {"anywhere", [](size_t dim, size_t, std::mt19937& random) { return test::random_vector(dim, random); }},
    {"in clusters", [](size_t dim, size_t, std::mt19937& random) { return beside(unit(direction(dim, random() % 20)), 0.5f, random); }},
    // Codes cannot tell these apart.
    {"near each other", [](size_t dim, size_t, std::mt19937& random) { return beside(unit(direction(dim, 1)), 0.003f, random); }},
    {"some along one axis", [](size_t dim, size_t i, std::mt19937& random) {
       Vector vector = test::random_vector(dim, random);
       if (i % 40 == 0) vector[i % dim] = 1e4f;
       return vector;
     }},
    {"of few values", [](size_t dim, size_t, std::mt19937& random) {
       Vector vector(dim);
       for (float& value : vector) value = static_cast<float>(random() % 3) - 1.0f;
       vector[random() % dim] = 1.0f;
       return vector;
     }},
    // As far from their codes as can be.
    {"between two codes", [](size_t dim, size_t, std::mt19937& random) {
       Vector vector(dim);
       for (float& value : vector) value = (static_cast<float>(random() % 12) - 5.5f) / 127.0f;
       vector[random() % dim] = 1.0f;
       return vector;
     }},
};

struct Fixture {
  std::mt19937 random{11};
  test::Columns columns;

  VectorTable filled(const Vectors& vectors, size_t dim, size_t count, RowFormat format) {
    columns = {};
    VectorTable table(RowShape(dim, format));
    for (size_t i = 0; i < count; ++i) {
      const Slot slot = columns.add(static_cast<Micros>(random() % 50), "r" + std::to_string(i));
      table.add(slot, columns.ats[slot], i % 13 == 5 ? Vector() : vectors.make(dim, i, random));
    }
    for (Slot slot = 0; slot < count; slot += 17) table.remove(slot);
    return table;
  }

  Bits wanted(const VectorTable& table, const Vector& query, size_t k, const Bitset* allowed) {
    TopK best(k, columns.recency());
    for (Slot slot = 0; slot < table.slots(); ++slot) {
      if (table.has(slot) && (allowed == nullptr || allowed->test(slot))) best.offer(table.cosine(query.data(), slot), slot);
    }
    return taken(best);
  }
};

BOOST_FIXTURE_TEST_CASE(the_best_are_those_of_all_rows, Fixture) {
  for (const RowFormat format : {RowFormat::float32, RowFormat::bfloat16}) {
    for (const size_t dim : {40u, 384u}) {
      for (const Vectors& vectors : kVectors) {
        const size_t count = test::amount(3000);
        const VectorTable table = filled(vectors, dim, count, format);
        Bitset allowed;
        allowed.assign(count, false);
        std::vector<Slot> slots;
        for (Slot slot = 0; slot < count; ++slot) {
          if (random() % 3 != 0) continue;
          allowed.set(slot);
          slots.push_back(slot);
        }
        for (const size_t k : {1u, 10u, 60u, 400u, 5000u}) {
          const Vector query = unit(random() % 2 == 0 ? test::random_vector(dim, random) : vectors.make(dim, random(), random));
          BOOST_TEST_CONTEXT(vectors.name << ", " << dim << " dimensions, " << k << " of " << row_format_name(format)) {
            TopK all(k, columns.recency());
            test::scan(table, query.data(), k, nullptr, all);
            BOOST_TEST((taken(all) == wanted(table, query, k, nullptr)));
            TopK masked(k, columns.recency());
            test::scan(table, query.data(), k, &allowed, masked);
            TopK gathered(k, columns.recency());
            test::gather(table, query.data(), k, slots, gathered);
            const Bits of_allowed = wanted(table, query, k, &allowed);
            BOOST_TEST((taken(masked) == of_allowed));
            BOOST_TEST((taken(gathered) == of_allowed));
          }
        }
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(searches_together_find_what_each_finds_alone, Fixture) {
  const Vectors& clusters = kVectors[1];
  const Vectors& near = kVectors[2];
  for (const Vectors& vectors : {clusters, near}) {
    const VectorTable table = filled(vectors, 384, 3000, RowFormat::float32);
    for (const size_t count : {2u, 3u, 8u}) {
      std::vector<Vector> queries(count);
      std::vector<VectorScratch> scratch(count);
      std::vector<VectorSearchStats> stats(count);
      std::vector<RowScan> searches;
      std::vector<std::vector<Candidate>> found(count);
      std::vector<std::unique_ptr<TopK>> best;
      for (size_t i = 0; i < count; ++i) {
        queries[i] = unit(i % 2 == 0 ? vectors.make(384, i, random) : test::random_vector(384, random));
        const size_t k = i == 1 ? 2000 : 1 + 9 * i;  // of which the one reads every row
        best.push_back(std::make_unique<TopK>(k, columns.recency(), found[i]));
        searches.push_back({queries[i].data(), k, &scratch[i], &stats[i], best.back().get()});
      }
      table.scan(searches);
      for (size_t i = 0; i < count; ++i) {
        const size_t k = i == 1 ? 2000 : 1 + 9 * i;
        BOOST_TEST((taken(*best[i]) == wanted(table, queries[i], k, nullptr)), vectors.name << " " << i << " of " << count);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(approximate_searches_together_find_what_each_finds_alone, Fixture) {
  for (const Vectors& vectors : kVectors) {
    const VectorTable table = filled(vectors, 384, 2000, RowFormat::float32);
    constexpr size_t kCount = 5;
    std::vector<Vector> queries;
    std::vector<VectorScratch> scratch(kCount);
    std::vector<VectorSearchStats> stats(kCount);
    std::vector<std::unique_ptr<TopK>> best;
    std::vector<RowScan> searches;
    for (size_t i = 0; i < kCount; ++i) {
      queries.push_back(unit(vectors.make(384, i, random)));
      best.push_back(std::make_unique<TopK>(1 + 30 * i, columns.recency()));
      searches.push_back({queries[i].data(), 1 + 30 * i, &scratch[i], &stats[i], best[i].get(), false});
    }
    table.scan(searches);
    for (size_t i = 0; i < kCount; ++i) {
      VectorScratch own;
      VectorSearchStats own_stats;
      BOOST_TEST(table.nearest(queries[i].data(), 1 + 30 * i, 0.995f, {}, own, own_stats));
      TopK alone(1 + 30 * i, columns.recency());
      for (const Candidate& row : own.rescored) alone.offer(row.score, row.slot);
      BOOST_TEST((taken(*best[i]) == taken(alone)), vectors.name << " " << i);
      BOOST_TEST(stats[i].rows_read == own_stats.rows_read);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(few_rows_are_read_where_codes_tell_them_apart, Fixture) {
  const size_t count = 4000;
  const auto rescored = [&](const Vectors& vectors) {
    const VectorTable table = filled(vectors, 384, count, RowFormat::float32);
    const Vector query = unit(vectors.make(384, 3, random));
    TopK best(10, columns.recency());
    const VectorSearchStats stats = test::scan(table, query.data(), 10, nullptr, best);
    BOOST_TEST(stats.rows_read <= count);
    return stats.rescored;
  };
  BOOST_TEST(rescored(kVectors[0]) < 200u);
  BOOST_TEST(rescored(kVectors[1]) < 400u);
}

// Of every kind of row and query, cosines by codes are never farther from the exact ones than is said.
BOOST_FIXTURE_TEST_CASE(no_cosine_is_farther_off_than_is_said, Fixture) {
  for (const size_t dim : {33u, 384u, 1536u}) {
    CodeRows rows(dim, 1);
    CodeQuery query;
    double nearest = 0.0;
    for (size_t round = 0; round < test::amount(3000); ++round) {
      const Vector row = unit(kVectors[random() % std::size(kVectors)].make(dim, round, random));
      const Vector asked = unit(round % 3 == 0 ? beside(row, 0.1f, random) : kVectors[random() % std::size(kVectors)].make(dim, round + 1, random));
      const float scale = rows.put(0, 0, 0, row.data());
      query.set(asked.data(), dim);
      float raw = 0.0f;
      query.score(rows, 0, 1, &raw);
      const double off = std::abs(double{raw} * query.scale() - double{kernels().dot(asked.data(), row.data(), dim)});
      const double most = query.sure_error(asked.data(), scale).at(scale);
      BOOST_TEST_REQUIRE(off <= most);
      nearest = std::max(nearest, off / most);
    }
    BOOST_TEST(nearest > 0.05);  // and what is said is not idle
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
