// The caller's name of a value, put together only when an error needs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memspan {

struct ArgumentName {
  ArgumentName(const char* argument) : field(argument) {}
  // Entry `entry` of a column: the plural of the field's name ("ids[3]").
  ArgumentName(const char* singular, std::optional<size_t> entry) : field(singular), row(entry) {}

  std::string text() const {
    if (!row) return std::string(field);
    const std::string plural = field.ends_with('s') ? std::string(field) : std::string(field) + "s";
    return plural + "[" + std::to_string(*row) + "]";
  }

  std::string_view field;
  std::optional<size_t> row;  // nothing: a call about one record
};

}  // namespace memspan
