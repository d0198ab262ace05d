#include "vectors/bfloat16.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr uint32_t kHalfBits = 16;
constexpr uint32_t kStep = uint32_t{1} << kHalfBits;  // from one value to the next larger in magnitude, in a float's bits
// Where between two values the larger one begins, at first and at most on either side of that. A quarter of a step to both
// sides is three times what 384 values ever need; each round halves it.
constexpr uint32_t kMiddle = kStep / 2;
constexpr uint32_t kMostAside = kStep / 4;
constexpr int kLengthRounds = 6;

constexpr float kTooMuch = 4.0f;  // for a change of a sum of squares

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

// The values of bfloat16, as floats: the larger one from `begin` of a step on.
void round_from(std::span<const float> values, uint32_t begin, float* out) {
  for (size_t i = 0; i < values.size(); ++i) out[i] = std::bit_cast<float>((bits_of(values[i]) + (kStep - begin)) & ~(kStep - 1));
}

// Gives one value that lies about halfway its other neighbour, that by which the sum of squares then comes nearest to what
// it should be; it is `excess` more. `left` has room for what would be left of that by each.
void even_out(std::span<const float> values, float excess, float* rounded, float* left) {
  const auto other = [&](size_t i) {
    const uint32_t kept = bits_of(rounded[i]);
    const bool up = static_cast<int32_t>(kept - bits_of(values[i])) > 0;  // in magnitude
    return std::bit_cast<float>(up ? kept - kStep : kept + kStep);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const float change = (other(i) - rounded[i]) * (other(i) + rounded[i]);
    const auto from_middle = static_cast<int32_t>(bits_of(values[i]) % kStep) - static_cast<int32_t>(kMiddle);
    left[i] = std::abs(excess + change) + (std::abs(from_middle) <= static_cast<int32_t>(kMostAside) ? 0.0f : kTooMuch);
  }
  size_t chosen = values.size();
  float least = std::abs(excess);
  for (size_t i = 0; i < values.size(); ++i) {
    if (left[i] >= least) continue;
    least = left[i];
    chosen = i;
  }
  if (chosen < values.size()) rounded[chosen] = other(chosen);
}

}  // namespace

void to_bfloat16(std::span<const float> values, uint16_t* out) {
  thread_local std::vector<float> rounded;
  thread_local std::vector<float> left;
  rounded.resize(values.size());
  left.resize(values.size());
  const double wanted = kernels().square_sum(values.data(), values.size());
  const auto excess_from = [&](uint32_t begin) {
    round_from(values, begin, rounded.data());
    return kernels().square_sum(rounded.data(), values.size()) - wanted;
  };
  uint32_t best = kMiddle;
  double least = excess_from(best);
  // The later the larger one begins, the shorter the vector.
  uint32_t begin = best;
  double excess = least;
  for (uint32_t aside = kMostAside, round = 0; round < kLengthRounds && excess != 0.0; ++round, aside /= 2) {
    begin = excess > 0.0 ? begin + aside : begin - aside;
    excess = excess_from(begin);
    if (std::abs(excess) < std::abs(least)) {
      least = excess;
      best = begin;
    }
  }
  round_from(values, best, rounded.data());
  even_out(values, static_cast<float>(least), rounded.data(), left.data());
  for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<uint16_t>(bits_of(rounded[i]) >> kHalfBits);
}

void from_bfloat16(const uint16_t* values, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = std::bit_cast<float>(uint32_t{values[i]} << kHalfBits);
}

}  // namespace memspan
