#include "attributes/json_compare.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace memspan {
namespace {

// Exact over the whole range: a large integer is never rounded to a double.
std::partial_ordering compare_integer_to_double(const json::value& integer, double number) {
  if (number >= 18446744073709551616.0) return std::partial_ordering::less;
  if (number < -9223372036854775808.0) return std::partial_ordering::greater;
  const double whole = std::trunc(number);
  std::partial_ordering order = std::partial_ordering::equivalent;
  if (integer.is_uint64()) {
    if (number < 0) return std::partial_ordering::greater;
    order = integer.get_uint64() <=> static_cast<uint64_t>(whole);
  } else if (number >= 9223372036854775808.0) {
    return std::partial_ordering::less;
  } else {
    order = integer.get_int64() <=> static_cast<int64_t>(whole);
  }
  if (order != 0) return order;
  return 0.0 <=> (number - whole);
}

std::partial_ordering compare_integers(const json::value& a, const json::value& b) {
  if (a.is_int64() && b.is_int64()) return a.get_int64() <=> b.get_int64();
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() <=> b.get_uint64();
  // The parser uses uint64 only for what does not fit int64.
  return a.is_int64() ? std::partial_ordering::less : std::partial_ordering::greater;
}

std::partial_ordering compare_numbers(const json::value& a, const json::value& b) {
  if (a.is_double() && b.is_double()) return a.get_double() <=> b.get_double();
  if (a.is_double()) return 0 <=> compare_integer_to_double(b, a.get_double());
  if (b.is_double()) return compare_integer_to_double(a, b.get_double());
  return compare_integers(a, b);
}

}  // namespace

std::partial_ordering json_order(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  // Byte order of UTF-8 is the order of code points.
  if (a.is_string() && b.is_string()) return std::string_view(a.get_string()) <=> std::string_view(b.get_string());
  return std::partial_ordering::unordered;
}

bool json_equal(const json::value& a, const json::value& b) {
  if (a.is_number() || b.is_number()) return json_order(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  if (const json::array* list = a.if_array()) {
    const json::array& other = b.get_array();
    return std::equal(list->begin(), list->end(), other.begin(), other.end(), json_equal);
  }
  if (const json::object* object = a.if_object()) {
    const json::object& other = b.get_object();
    return object->size() == other.size() && std::all_of(object->begin(), object->end(), [&](const auto& field) {
             const json::value* value = other.if_contains(field.key());
             return value != nullptr && json_equal(field.value(), *value);
           });
  }
  return a == b;
}

}  // namespace memspan
