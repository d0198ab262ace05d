// The order of base/recency.hpp by itself, for tests that sort what they expect.
#pragma once

#include <string_view>
#include <tuple>

#include "memspan/types.hpp"

namespace memspan::test {

// The greater is the newer one. Valid as long as the id is.
inline std::tuple<Micros, size_t, std::string_view> newness(Micros at, std::string_view id) { return {at, id.size(), id}; }

}  // namespace memspan::test
