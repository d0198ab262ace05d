// Vectors in bfloat16, the upper half of a float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace memspan {

// Writes for each value one of the two nearest, and mostly the nearest, chosen so that the vector keeps its length as well
// as it can: of 384 values to some millionths, where the nearest would change it by some ten-thousandths, and the cosines
// of the vector with those near it by as much. Values that bfloat16 holds stay as they are. O(values), some passes.
void to_bfloat16(std::span<const float> values, uint16_t* out);

// Exact.
void from_bfloat16(const uint16_t* values, size_t count, float* out);

}  // namespace memspan
