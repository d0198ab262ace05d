// For filters that want a field of the metadata to equal something: 16 bits that follow from the field's value.
#pragma once

#include <cstdint>

#include "attributes/field_columns.hpp"

namespace memspan {

struct CodeOf {
  using Number = uint16_t;
  static constexpr Number kMissing = 0;
  // Never kMissing; of values that are equal (json_equal), equal. O(size) of a string, O(1) otherwise.
  static Number of(const json::value& value) noexcept;
};

using FieldCodes = FieldColumns<CodeOf, 8>;
using FieldCode = CodeOf::Number;

}  // namespace memspan
