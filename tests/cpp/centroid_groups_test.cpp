// Rows assigned by groups of centroids, against a comparison with every centroid.
#include "vectors/centroid_groups.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "simd/kernels.hpp"
#include "support/amount.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "vectors/k_means.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(centroid_groups)

struct Vectors {
  Vectors(size_t each, size_t count) : dim(each), values(each * count), rows(each) {
    for (size_t i = 0; i < count; ++i) rows.push_back(row(i));
  }
  const float* row(size_t i) const { return values.data() + i * dim; }
  void put(size_t i, const std::vector<float>& vector) { normalize(vector, values.data() + i * dim); }

  size_t dim;
  std::vector<float> values;
  RowList rows;
};

CodeRows coded(const Vectors& vectors) {
  CodeRows codes(vectors.dim, vectors.rows.size());
  for (size_t i = 0; i < vectors.rows.size(); ++i) codes.put(i, static_cast<Slot>(i), 0, vectors.row(i));
  return codes;
}

Vectors clustered(size_t dim, size_t clusters, size_t count, std::mt19937& random) {
  test::ClusteredVectors source(dim, clusters, random);
  Vectors vectors(dim, count);
  for (size_t i = 0; i < count; ++i) vectors.put(i, source.near(random()));
  return vectors;
}

std::vector<uint32_t> by_groups(const CodeRows& centroids, size_t count, const Vectors& rows) {
  std::vector<uint32_t> nearest(rows.rows.size(), ~uint32_t{0});
  CentroidGroups(centroids, count, rows.dim).assign(rows.rows, nearest.data());
  return nearest;
}

// Score by codes, as they are compared.
float score(const CodeRows& centroids, uint32_t centroid, const float* row, size_t dim) {
  AlignedBuffer<int8_t> query(code_stride(dim));
  int32_t offset = 0;
  kernels().quantize_query(row, dim, query.data(), &offset);
  float out = 0.0f;
  kernels().code_rows(query.data(), offset, centroids.codes(centroid), centroids.stride(), centroids.scales() + centroid, 1,
                      centroids.stride(), &out);
  return out;
}

BOOST_AUTO_TEST_CASE(nearly_every_row_finds_its_nearest_centroid_and_all_a_near_one) {
  std::mt19937 random(11);
  for (const size_t dim : {48ul, 100ul}) {
    for (const size_t count : {256ul, 700ul}) {
      const Vectors rows = clustered(dim, 150, 3000, random);
      const Centroids centroids = find_centroids(rows.rows, count, 4, random);
      const std::vector<uint32_t> found = by_groups(centroids.codes, centroids.size(), rows);
      size_t nearest = 0;
      double lost = 0.0;
      const size_t looked_at = test::amount(rows.rows.size());
      for (size_t i = 0; i < looked_at; ++i) {
        BOOST_REQUIRE_LT(found[i], centroids.size());
        std::vector<float> scores;
        for (uint32_t c = 0; c < centroids.size(); ++c) scores.push_back(score(centroids.codes, c, rows.row(i), dim));
        const auto best = std::max_element(scores.begin(), scores.end());
        nearest += scores[found[i]] == *best;
        lost += 1.0 - static_cast<double>(scores[found[i]] / *best);
      }
      BOOST_TEST_CONTEXT(dim << " dimensions, " << count << " centroids") {
        BOOST_TEST(nearest > looked_at * 9 / 10);
        BOOST_TEST(lost / static_cast<double>(looked_at) < 0.01);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(few_enough_centroids_are_all_looked_at) {
  std::mt19937 random(2);
  constexpr size_t kDim = 20;
  const Vectors centers = clustered(kDim, 9, 12, random);  // as many groups as centroids, all of which are looked at
  const CodeRows centroids = coded(centers);
  const Vectors rows = clustered(kDim, 9, 2100, random);  // chunks and a part of one
  const auto found = by_groups(centroids, 12, rows);
  const auto nearest = assign(rows.rows, centroids, 12);
  BOOST_TEST(std::vector<uint32_t>(nearest.begin(), nearest.end()) == found, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_row_goes_where_it_goes_alone) {
  std::mt19937 random(3);
  constexpr size_t kDim = 33;
  const Vectors rows = clustered(kDim, 60, 1500, random);
  const Centroids centroids = find_centroids(rows.rows, 300, 3, random);
  const CentroidGroups groups(centroids.codes, centroids.size(), kDim);
  std::vector<uint32_t> together(rows.rows.size());
  groups.assign(rows.rows, together.data());
  for (size_t i = 0; i < rows.rows.size(); i += 7) {
    uint32_t alone = 0;
    groups.assign(RowView(rows.rows).part(i, 1), &alone);
    BOOST_REQUIRE_EQUAL(alone, together[i]);
  }
}

BOOST_AUTO_TEST_CASE(of_equal_centroids_the_first_has_the_rows) {
  std::mt19937 random(5);
  constexpr size_t kDim = 24;
  const Vectors distinct = clustered(kDim, 150, 150, random);
  Vectors centers(kDim, 300);
  for (size_t i = 0; i < 300; ++i) centers.put(i, {distinct.row(i % 150), distinct.row(i % 150) + kDim});
  for (const uint32_t centroid : by_groups(coded(centers), 300, distinct)) BOOST_TEST(centroid < 150u);

  Vectors same(kDim, 400);
  for (size_t i = 0; i < 400; ++i) same.put(i, {distinct.row(0), distinct.row(0) + kDim});
  for (const uint32_t centroid : by_groups(coded(same), 400, distinct)) BOOST_TEST(centroid == 0u);
}

BOOST_AUTO_TEST_CASE(rows_and_centroids_of_zeros_are_as_good_as_others) {
  constexpr size_t kDim = 16;
  std::mt19937 random(6);
  Vectors centers = clustered(kDim, 40, 300, random);
  for (size_t i = 100; i < 200; ++i) std::fill_n(centers.values.data() + i * kDim, kDim, 0.0f);
  const Vectors zeros(kDim, 40);
  for (const uint32_t centroid : by_groups(coded(centers), 300, zeros)) BOOST_TEST(centroid < 300u);
  BOOST_TEST(by_groups(coded(centers), 300, Vectors(kDim, 0)).empty());
}

BOOST_AUTO_TEST_CASE(groups_are_for_many_rows_and_many_centroids) {
  BOOST_TEST(!CentroidGroups::pay(1'000'000, 100));
  BOOST_TEST(!CentroidGroups::pay(64, 894));
  BOOST_TEST(CentroidGroups::pay(200'000, 894));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
