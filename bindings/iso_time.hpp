// Times written as ISO 8601.
#pragma once

#include <string_view>

#include "memspan/types.hpp"

namespace memspan::python {

// Reads the extended form with a date of the years 1-9999: YYYY-MM-DD, and after a T or a space HH:MM, HH:MM:SS or
// HH:MM:SS.f with up to six digits, and after that Z, +HH:MM or -HH:MM. False for every other form, valid or not.
bool read_iso_time(std::string_view text, Micros& out);

}  // namespace memspan::python
