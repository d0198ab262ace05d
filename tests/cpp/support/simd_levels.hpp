// The levels and variants of the kernels that this processor runs, with names for messages.
#pragma once

#include <string>
#include <vector>

#include "simd/levels.hpp"

namespace memspan {

inline std::vector<SimdLevel> levels() {
  SimdLevel found[kMaxSimdLevels];
  return {found, found + supported_levels(found)};
}

inline std::string name_of(const SimdLevel& level) {
  return *level.variant == '\0' ? level.name : std::string(level.name) + "+" + level.variant;
}

}  // namespace memspan
