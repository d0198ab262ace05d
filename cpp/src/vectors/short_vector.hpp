// A few numbers in place of a unit vector: its coordinates along the leading directions of many like it, and what is left of
// its length, spread over the last few numbers. The product of two such is the largest that the cosine of the vectors can
// be, by the inequality of Cauchy and Schwarz on what the coordinates leave out.
#pragma once

#include <cstddef>
#include <span>

#include "vectors/leading_directions.hpp"

namespace memspan {

inline constexpr size_t kRestNumbers = 6;  // so that none is much larger than the coordinates

// `numbers` are kRestNumbers more than the directions, or more still. The rest counts `rest_share` of its length. O(dim
// directions).
void shorten(const LeadingDirections& directions, const float* unit_vector, float rest_share, std::span<float> numbers);

// A magnitude that few numbers of other vectors will exceed. O(sample directions).
float largest_number(const LeadingDirections& directions, std::span<const float> sample);

}  // namespace memspan
