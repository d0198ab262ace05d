// The directions in which rows differ most (principal components), as an orthonormal basis of a few dimensions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace memspan {

struct LeadingDirections {
  size_t dim = 0;
  size_t count = 0;
  std::vector<float> rows;  // one direction after the other; orthonormal up to rounding

  // Writes the `count` coordinates of a row. O(dim count).
  void project(const float* row, float* out) const;
};

// What differs is seen from the mean of the rows, or from zero: then their mean is about one of the directions. What all rows
// share needs none where a bound by Cauchy and Schwarz follows, which is tight for it; where a share of that bound is taken,
// the rest should hold nothing that they share.
enum class Origin { mean, zero };

// At most `count` directions, fewer when the dimension or the sample is smaller. `sample` holds rows of `dim` floats.
// Found by subspace iteration from a fixed start (Halko, Martinsson and Tropp, SIAM Review 2011, algorithm 4.4): how good
// they are decides about speed, never about what is found. O(sample dim count).
LeadingDirections find_leading_directions(std::span<const float> sample, size_t dim, size_t count, Origin origin);

}  // namespace memspan
