// A test of single slots that somebody else makes, as an argument.
#pragma once

#include "memspan/types.hpp"

namespace memspan {

struct SlotTest {
  bool (*function)(const void* of, Slot slot) = nullptr;  // null: there is nothing to ask
  const void* of = nullptr;

  explicit operator bool() const { return function != nullptr; }
  bool operator()(Slot slot) const { return function(of, slot); }
};

}  // namespace memspan
