#include "vectors/leading_directions.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/huge_pages.hpp"
#include "simd/kernels.hpp"

namespace memspan {
using huge_pages::PassingVector;
namespace {

constexpr int kDirectionRounds = 4;
constexpr double kTooShort = 1e-5;  // of what a direction had: what is left is rounding

// Makes the rows orthonormal (Gram-Schmidt, twice, which is enough); drops those that depend on the ones before.
void orthonormalize(std::vector<float>& rows, size_t dim) {
  const auto dot = kernels().dot;
  size_t kept = 0;
  for (size_t i = 0; i * dim < rows.size(); ++i) {
    float* const row = rows.data() + kept * dim;
    std::copy_n(rows.data() + i * dim, dim, row);
    const double before = std::sqrt(static_cast<double>(dot(row, row, dim)));
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t k = 0; k < kept; ++k) {
        const float* const other = rows.data() + k * dim;
        const float share = dot(row, other, dim);
        for (size_t d = 0; d < dim; ++d) row[d] -= share * other[d];
      }
    }
    const double length = std::sqrt(static_cast<double>(dot(row, row, dim)));
    if (!(length > kTooShort * before)) continue;
    for (size_t d = 0; d < dim; ++d) row[d] = static_cast<float>(row[d] / length);
    ++kept;
  }
  rows.resize(kept * dim);
}

}  // namespace

void LeadingDirections::project(const float* row, float* out) const {
  kernels().dot_rows(row, rows.data(), dim, count, dim, out);
}

LeadingDirections find_leading_directions(std::span<const float> sample, size_t dim, size_t count, Origin origin) {
  const size_t rows = sample.size() / dim;
  LeadingDirections found{dim, std::min({count, dim, rows}), {}};
  if (found.count == 0) return found;
  PassingVector<float> columns(dim * rows);  // about the origin, transposed
  for (size_t d = 0; d < dim; ++d) {
    double sum = 0.0;
    for (size_t i = 0; i < rows; ++i) sum += static_cast<double>(sample[i * dim + d]);
    const float at = origin == Origin::mean ? static_cast<float>(sum / static_cast<double>(rows)) : 0.0f;
    for (size_t i = 0; i < rows; ++i) columns[d * rows + i] = sample[i * dim + d] - at;
  }
  PassingVector<float> seen(rows * dim);  // the same as rows
  for (size_t i = 0; i < rows; ++i) {
    for (size_t d = 0; d < dim; ++d) seen[i * dim + d] = columns[d * rows + i];
  }
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  found.rows.resize(found.count * dim);
  for (float& value : found.rows) value = normal(random);
  orthonormalize(found.rows, dim);
  std::vector<float> shadow(rows);  // of the sample on one direction
  for (int round = 0; round < kDirectionRounds; ++round) {
    for (size_t k = 0; k * dim < found.rows.size(); ++k) {
      float* const direction = found.rows.data() + k * dim;
      kernels().dot_rows(direction, seen.data(), dim, rows, dim, shadow.data());
      kernels().dot_rows(shadow.data(), columns.data(), rows, dim, rows, direction);
    }
    orthonormalize(found.rows, dim);
  }
  found.count = found.rows.size() / dim;
  return found;
}

}  // namespace memspan
