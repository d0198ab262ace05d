// The vocabulary shared by every part of the core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace memspan {

// Microseconds since 1970-01-01T00:00:00Z.
using Micros = int64_t;

// Position of a record inside its user's columns. The slot of an erased record is handed out again; slots never leave
// the core.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

// First and last representable time: years 1 and 9999.
inline constexpr Micros kMinTime = -62'135'596'800'000'000;
inline constexpr Micros kMaxTime = 253'402'300'799'999'999;

// `until` of a record that holds without end; sorts after every representable time.
inline constexpr Micros kForever = std::numeric_limits<Micros>::max();

// Closed-open: start <= t < end. The defaults leave both ends open.
struct Interval {
  Micros start = std::numeric_limits<Micros>::min();
  Micros end = std::numeric_limits<Micros>::max();
  friend bool operator==(const Interval&, const Interval&) = default;
};

enum class Kind : uint8_t { episodic, semantic, procedural, resource, vault };
inline constexpr std::array<std::string_view, 5> kKindNames = {"episodic", "semantic", "procedural", "resource",
                                                               "vault"};
inline constexpr size_t kKindCount = kKindNames.size();

enum class View : uint8_t { semantic, lexical, symbolic };
inline constexpr std::array<std::string_view, 3> kViewNames = {"semantic", "lexical", "symbolic"};
inline constexpr size_t kViewCount = kViewNames.size();

enum class Fusion : uint8_t { rrf, union_, weighted, learned };
inline constexpr std::array<std::string_view, 4> kFusionNames = {"rrf", "union", "weighted", "learned"};

// Limits on everything that comes from outside. Sizes are bytes of UTF-8.
namespace limits {
inline constexpr size_t kNameBytes = 512;  // user, id, session, speaker
inline constexpr size_t kTextBytes = 4u << 20;
inline constexpr size_t kTagBytes = 128;
inline constexpr size_t kTagsPerRecord = 64;
inline constexpr size_t kMetadataBytes = 1u << 20;
inline constexpr size_t kWhereBytes = 1u << 20;
inline constexpr size_t kWhereDepth = 32;
inline constexpr size_t kDim = 8192;
inline constexpr size_t kTop = 10'000;
inline constexpr size_t kDepth = 100'000;
inline constexpr size_t kIntervals = 1024;
inline constexpr size_t kExcluded = 100'000;
inline constexpr size_t kRecordsPerUser = 1u << 28;
}  // namespace limits

}  // namespace memspan
