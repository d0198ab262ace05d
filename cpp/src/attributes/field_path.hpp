// Where a value stands in metadata: names, each but the last of an object inside the one before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attributes/json.hpp"

namespace memspan {

using FieldPath = std::vector<std::string>;  // one name at least

// nullptr: there is no such field. O(names).
inline const json::value* find_field(const json::object& metadata, const FieldPath& path) noexcept {
  const json::object* object = &metadata;
  for (size_t i = 0;; ++i) {
    const json::value* value = object->if_contains(path[i]);
    if (value == nullptr || i + 1 == path.size()) return value;
    object = value->if_object();
    if (object == nullptr) return nullptr;
  }
}

}  // namespace memspan
