// The levels and variants of the kernels that this processor runs, with names for messages.
#pragma once

#include <string>
#include <vector>

#include "simd/levels.hpp"

namespace memspan {

inline const std::vector<SimdLevel>& levels() {
  static const std::vector<SimdLevel> all = [] {
    SimdLevel found[kMaxSimdLevels];
    return std::vector<SimdLevel>(found, found + supported_levels(found));
  }();
  return all;
}

inline std::string name_of(const SimdLevel& level) {
  return *level.variant == '\0' ? level.name : std::string(level.name) + "+" + level.variant;
}

}  // namespace memspan
