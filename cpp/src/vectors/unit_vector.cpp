#include "vectors/unit_vector.hpp"

#include <cmath>
#include <string>

#include "memspan/error.hpp"

namespace memspan {

void check_embedding(std::span<const float> vector, size_t dim, const ArgumentName& argument) {
  const auto refuse = [&](const std::string& got) {
    throw InvalidEmbedding(argument.text(), got, std::to_string(dim) + " finite float32 values that are not all zero");
  };
  if (vector.size() != dim) refuse(std::to_string(vector.size()) + " values");
  bool zero = true;
  for (size_t i = 0; i < vector.size(); ++i) {
    if (!std::isfinite(vector[i])) {
      refuse((std::isnan(vector[i]) ? "NaN" : "infinity") + std::string(" at position ") + std::to_string(i));
    }
    zero = zero && vector[i] == 0.0f;
  }
  if (zero) refuse("a zero vector");
}

bool is_unit(std::span<const float> vector) {
  double norm = 0.0;
  for (float value : vector) norm += static_cast<double>(value) * static_cast<double>(value);
  return std::abs(norm - 1.0) < 1e-3;
}

void normalize(std::span<const float> vector, float* out) {
  // In double: the squares of float32 values neither overflow nor vanish there.
  double sum = 0.0;
  for (float value : vector) sum += static_cast<double>(value) * static_cast<double>(value);
  const double scale = 1.0 / std::sqrt(sum);
  for (size_t i = 0; i < vector.size(); ++i) out[i] = static_cast<float>(static_cast<double>(vector[i]) * scale);
}

}  // namespace memspan
