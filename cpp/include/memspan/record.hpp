// What a caller hands in to store one record. The views must stay valid during the call only.
#pragma once

#include <span>
#include <string_view>

#include "memspan/types.hpp"

namespace memspan {

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
};

}  // namespace memspan
