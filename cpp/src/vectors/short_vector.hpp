// 64 numbers in place of a unit vector: its coordinates along the leading directions of many like it, and what is left of
// its length, spread over the last few numbers. The product of two such is the largest that the cosine of the vectors can
// be, by the inequality of Cauchy and Schwarz on what the coordinates leave out.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "vectors/leading_directions.hpp"

namespace memspan {

inline constexpr size_t kShortNumbers = 64;
inline constexpr size_t kRestNumbers = 6;  // of those; so that none is much larger than the coordinates
inline constexpr size_t kShortCoordinates = kShortNumbers - kRestNumbers;

using ShortVector = std::array<float, kShortNumbers>;

// `directions` are kShortCoordinates at most. The rest counts `rest_share` of its length. O(dim).
ShortVector shorten(const LeadingDirections& directions, const float* unit_vector, float rest_share = 1.0f);

// A magnitude that few numbers of other vectors will exceed. O(sample).
float largest_number(const LeadingDirections& directions, std::span<const float> sample);

}  // namespace memspan
