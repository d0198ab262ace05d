// How many records of each kind a user may have, and which go when there are more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

// Which record of a full kind goes first. Retired and expired ones always go before all others, pinned ones never go.
//   oldest: by `at`; of those with one time, the last id.
//   value: the lowest importance + use - redundancy (quotas/eviction_order.hpp); equal ones as with `oldest`.
enum class Eviction : uint8_t { oldest, value };
inline constexpr std::array<std::string_view, 2> kEvictionNames = {"oldest", "value"};

struct Quotas {
  static constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();

  constexpr Quotas() { capacities.fill(kUnlimited); }
  bool limits(Kind kind) const { return capacities[static_cast<size_t>(kind)] != kUnlimited; }
  bool limit_any() const { return std::any_of(capacities.begin(), capacities.end(), [](uint32_t c) { return c != kUnlimited; }); }
  friend bool operator==(const Quotas&, const Quotas&) = default;

  std::array<uint32_t, kKindCount> capacities;  // records by kind
  Eviction eviction = Eviction::value;
};

// A record that had to make room.
struct Evicted {
  std::string user;
  std::string id;
};

// How often searches brought records, and when they did last, in the order of `ids`.
struct Uses {
  std::vector<std::string> ids;
  std::vector<uint32_t> counts;
  std::vector<Micros> lasts;  // in whole seconds
};

}  // namespace memspan
