#include "vectors/short_vector.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/kernels.hpp"

namespace memspan {

void shorten(const LeadingDirections& directions, const float* unit_vector, float rest_share, std::span<float> numbers) {
  // The square of the rest may come out too small by rounding, and its root by much more.
  constexpr double kRounding = 4e-6;
  directions.project(unit_vector, numbers.data());
  const double whole = kernels().square_sum(unit_vector, directions.dim);  // of bfloat16 not just 1
  double square = 0.0;
  for (const float number : numbers.first(directions.count)) square += static_cast<double>(number) * static_cast<double>(number);
  const double rest = std::sqrt(std::max(0.0, whole - square) + kRounding);
  std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(directions.count), numbers.end() - kRestNumbers, 0.0f);
  std::fill(numbers.end() - kRestNumbers, numbers.end(), rest_share * static_cast<float>(rest / std::sqrt(double{kRestNumbers})));
}

float largest_number(const LeadingDirections& directions, std::span<const float> sample) {
  constexpr float kMore = 1.05f;  // others may be somewhat larger
  float most = 0.0f;
  std::vector<float> numbers(directions.count + kRestNumbers);
  for (size_t i = 0; i + directions.dim <= sample.size(); i += directions.dim) {
    shorten(directions, sample.data() + i, 1.0f, numbers);
    for (const float number : numbers) most = std::max(most, std::abs(number));
  }
  return kMore * most;
}

}  // namespace memspan
