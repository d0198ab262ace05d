#include "vectors/short_vector.hpp"

#include <algorithm>
#include <cmath>

namespace memspan {

ShortVector shorten(const LeadingDirections& directions, const float* unit_vector, float rest_share) {
  // The square of the rest may come out too small by rounding, and its root by much more.
  constexpr double kRounding = 4e-6;
  ShortVector numbers = {};
  directions.project(unit_vector, numbers.data());
  double square = 0.0;
  for (size_t i = 0; i < directions.count; ++i) square += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
  const double rest = std::sqrt(std::max(0.0, 1.0 - square) + kRounding);
  std::fill_n(numbers.end() - kRestNumbers, kRestNumbers, rest_share * static_cast<float>(rest / std::sqrt(double{kRestNumbers})));
  return numbers;
}

float largest_number(const LeadingDirections& directions, std::span<const float> sample) {
  constexpr float kMore = 1.05f;  // others may be somewhat larger
  float most = 0.0f;
  for (size_t i = 0; i + directions.dim <= sample.size(); i += directions.dim) {
    for (const float value : shorten(directions, sample.data() + i)) most = std::max(most, std::abs(value));
  }
  return kMore * most;
}

}  // namespace memspan
