// Equality and order of JSON values as filters understand them.
#pragma once

#include <compare>

#include "attributes/json.hpp"

namespace memspan {

// Numbers by value, everything else by type and value; lists and objects as a whole.
bool json_equal(const json::value& a, const json::value& b);

// Two numbers or two strings (by code point); unordered for anything else.
std::partial_ordering json_order(const json::value& a, const json::value& b);

}  // namespace memspan
