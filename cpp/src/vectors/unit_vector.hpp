// Checks and normalises the vectors that callers hand in: after this, cosine is a dot product.
#pragma once

#include <cstddef>
#include <span>

#include "base/argument_name.hpp"

namespace memspan {

// Throws InvalidEmbedding, naming `argument`, unless `vector` has `dim` finite values that are not all zero.
void check_embedding(std::span<const float> vector, size_t dim, const ArgumentName& argument);

// Is the length 1, but for rounding? False for NaN and infinity.
bool is_unit(std::span<const float> vector);

// Writes `vector`, scaled to length 1, to `out` (as long as `vector`). `vector` must have passed check_embedding.
void normalize(std::span<const float> vector, float* out);

// Both at once, reading the vector one time less. If it throws, `out` is unchanged.
void normalize_checked(std::span<const float> vector, size_t dim, const ArgumentName& argument, float* out);

}  // namespace memspan
