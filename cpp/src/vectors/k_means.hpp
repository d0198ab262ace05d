// Spherical k-means over unit vectors.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/huge_pages.hpp"
#include "vectors/code_rows.hpp"
#include "vectors/row_list.hpp"

namespace memspan {

// The centroids of some rows, as floats and as the codes with which rows are assigned.
struct Centroids {
  size_t dim = 0;
  huge_pages::PassingVector<float> rows;  // unit length
  CodeRows codes;
  size_t size() const { return dim == 0 ? 0 : rows.size() / dim; }
  const float* row(size_t i) const { return rows.data() + i * dim; }
};

// At most `k` centroids (fewer when there are fewer rows) after `rounds` over a sample of up to 48 rows for each.
// O(k^(3/2) dim rounds).
Centroids find_centroids(const RowView& rows, size_t k, size_t rounds, std::mt19937& random);

// The nearest of `count` centroids for every row, by codes; of many centroids for many rows one of the nearest, by groups
// (centroid_groups.hpp). O(rows sqrt(count) dim), of few O(rows count dim), on two threads (base/in_parallel.hpp).
huge_pages::PassingVector<uint32_t> assign(const RowView& rows, const CodeRows& centroids, size_t count);

}  // namespace memspan
