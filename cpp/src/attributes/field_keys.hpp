// For filters that want a field of the metadata to be greater or less than something: 64 bits in the order of its values.
//
// Bits 63-62 say what it is, so that numbers and texts are apart and all else is outside of every range; below are those of the
// number as a double, or of the first characters of the text: six letters or ten digits (a date). Values in order have keys in
// that order, or equal ones: at the ends of a range the values themselves are to be asked.
#pragma once

#include <cstdint>

#include "attributes/field_columns.hpp"

namespace memspan {

struct KeyOf {
  using Number = uint64_t;
  static constexpr Number kMissing = 0;  // or neither a number nor a text
  static Number of(const json::value& value) noexcept;
};

using FieldKeys = FieldColumns<KeyOf, 4>;
using FieldKey = KeyOf::Number;

struct KeyRange {
  FieldKey least;
  FieldKey most;
  bool contains(FieldKey key) const { return least <= key && key <= most; }
  // The key's value does what the range is for; of others that it contains, the value is to be asked.
  bool decides(FieldKey key) const { return least < key && key < most; }
  KeyRange inside() const { return {least + 1, most - 1}; }  // of those
};

// Of all that a comparison with the value, a number or a text, may hold for. They hold at the value's own key, too.
KeyRange keys_from(const json::value& value) noexcept;
KeyRange keys_up_to(const json::value& value) noexcept;

}  // namespace memspan
