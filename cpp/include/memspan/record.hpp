// What a caller hands in to store one record. The views must stay valid during the call only.
#pragma once

#include <span>
#include <string_view>

#include "memspan/types.hpp"

namespace memspan {

// `importance` of a record that nobody judged.
inline constexpr float kNotJudged = -1.0f;

struct RecordInput {
  std::string_view user;
  std::string_view id;
  Micros at = 0;
  Micros until = kForever;
  Micros recorded_at = 0;
  Kind kind = Kind::episodic;
  std::string_view text;
  std::string_view session;             // empty: none
  std::string_view speaker;             // empty: none
  std::string_view metadata;            // JSON object as text; empty: none
  std::span<const std::string_view> tags;
  std::span<const float> embedding;     // empty: none
  float importance = kNotJudged;        // 0-1
  bool pinned = false;                  // never evicted
  Micros retired_at = kForever;         // from when on it is no longer believed
  Micros expires_at = kForever;         // from when on it is gone
};

}  // namespace memspan
