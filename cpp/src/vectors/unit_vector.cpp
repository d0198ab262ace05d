#include "vectors/unit_vector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "memspan/error.hpp"

namespace memspan {
namespace {

constexpr int32_t kInfinityBits = 0x7f800000;

template <typename Refuse>
void refuse_position(std::span<const float> vector, const Refuse& refuse) {
  size_t i = 0;
  while (std::isfinite(vector[i])) ++i;
  refuse((std::isnan(vector[i]) ? "NaN" : "infinity") + std::string(" at position ") + std::to_string(i));
}

// In double: the squares of float32 values neither overflow nor vanish there. Eight sums, because each addition to a
// single one would wait for the one before.
double square_sum(std::span<const float> vector) {
  std::array<double, 8> sums = {};
  size_t i = 0;
  for (; i + 8 <= vector.size(); i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += static_cast<double>(vector[i + j]) * static_cast<double>(vector[i + j]);
  }
  for (; i < vector.size(); ++i) sums[0] += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

void check_embedding(std::span<const float> vector, size_t dim, const ArgumentName& argument) {
  const auto refuse = [&](const std::string& got) {
    throw InvalidEmbedding(argument.text(), got, std::to_string(dim) + " finite float32 values that are not all zero");
  };
  if (vector.size() != dim) refuse(std::to_string(vector.size()) + " values");
  // The bits of a float's magnitude sort like the number; those of infinity and NaN sort after all others. One pass
  // without branches, which the compiler turns into SIMD.
  int32_t largest = 0;
  for (float value : vector) largest = std::max(largest, std::bit_cast<int32_t>(value) & 0x7fffffff);
  if (largest >= kInfinityBits) refuse_position(vector, refuse);
  if (largest == 0) refuse("a zero vector");
}

bool is_unit(std::span<const float> vector) {
  return std::abs(square_sum(vector) - 1.0) < 1e-3;
}

void normalize(std::span<const float> vector, float* out) {
  const double scale = 1.0 / std::sqrt(square_sum(vector));
  for (size_t i = 0; i < vector.size(); ++i) out[i] = static_cast<float>(static_cast<double>(vector[i]) * scale);
}

}  // namespace memspan
