#include "vectors/unit_vector.hpp"

#include <cmath>
#include <string>

#include "memspan/error.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

template <typename Refuse>
void refuse_position(std::span<const float> vector, const Refuse& refuse) {
  size_t i = 0;
  while (std::isfinite(vector[i])) ++i;
  refuse((std::isnan(vector[i]) ? "NaN" : "infinity") + std::string(" at position ") + std::to_string(i));
}

// The sum of its squares.
double checked_sum(std::span<const float> vector, size_t dim, const ArgumentName& argument) {
  const auto refuse = [&](const std::string& got) {
    throw InvalidEmbedding(argument.text(), got, std::to_string(dim) + " finite float32 values that are not all zero");
  };
  if (vector.size() != dim) refuse(std::to_string(vector.size()) + " values");
  const double sum = kernels().square_sum(vector.data(), dim);
  if (!std::isfinite(sum)) refuse_position(vector, refuse);
  if (sum == 0.0) refuse("a zero vector");
  return sum;
}

void scale_to_unit(std::span<const float> vector, double sum, float* out) {
  kernels().multiply(vector.data(), 1.0 / std::sqrt(sum), vector.size(), out);
}

}  // namespace

void check_embedding(std::span<const float> vector, size_t dim, const ArgumentName& argument) {
  checked_sum(vector, dim, argument);
}

void normalize_checked(std::span<const float> vector, size_t dim, const ArgumentName& argument, float* out) {
  scale_to_unit(vector, checked_sum(vector, dim, argument), out);
}

bool is_unit(std::span<const float> vector) {
  return std::abs(kernels().square_sum(vector.data(), vector.size()) - 1.0) < 1e-3;
}

void normalize(std::span<const float> vector, float* out) {
  scale_to_unit(vector, kernels().square_sum(vector.data(), vector.size()), out);
}

}  // namespace memspan
