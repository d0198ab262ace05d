// How 128 numbers that stand for a vector become codes of four bits: each number has a range of its own, found on a sample,
// that sixteen codes divide evenly.
//
// A vector whose numbers lie far outside of the ranges would be taken for another one: `encode` tells of those that are
// further from what their codes stand for than any of the sample. Thread safety: immutable once made.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace memspan {

struct ShortScale {
  static constexpr size_t kNumbers = 128;
  static constexpr float kLargest = 15.0f;  // code
  static constexpr float kMiddle = 7.5f;
  using Numbers = std::array<float, kNumbers>;
  using Codes = std::array<uint8_t, kNumbers>;

  Numbers low;
  Numbers step;      // > 0
  float most_error;  // square of the distance

  // Of at least one.
  static ShortScale of(std::span<const Numbers> sample) {
    constexpr float kLeastStep = 1e-6f;
    constexpr float kMore = 1.1f;  // others may be somewhat further off
    ShortScale scale;
    for (size_t d = 0; d < kNumbers; ++d) {
      float low = std::numeric_limits<float>::max();
      float high = std::numeric_limits<float>::lowest();
      for (const Numbers& numbers : sample) {
        low = std::min(low, numbers[d]);
        high = std::max(high, numbers[d]);
      }
      scale.low[d] = low;
      scale.step[d] = std::max((high - low) / kLargest, kLeastStep);
    }
    Codes codes;
    float most = 0.0f;
    for (const Numbers& numbers : sample) most = std::max(most, scale.error(numbers, codes));
    scale.most_error = kMore * most;
    return scale;
  }

  // False: the codes do not stand for the numbers.
  bool encode(const Numbers& numbers, Codes& codes) const { return error(numbers, codes) <= most_error; }
  float number(size_t d, uint8_t code) const { return low[d] + step[d] * static_cast<float>(code); }

 private:
  float error(const Numbers& numbers, Codes& codes) const {
    float square = 0.0f;
    for (size_t d = 0; d < kNumbers; ++d) {
      codes[d] = static_cast<uint8_t>(std::clamp(std::nearbyint((numbers[d] - low[d]) / step[d]), 0.0f, kLargest));
      const float off = numbers[d] - number(d, codes[d]);
      square += off * off;
    }
    return square;
  }
};

}  // namespace memspan
