// JSON inside the core: metadata and filters arrive as text and are parsed once.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "base/argument_name.hpp"

namespace memspan {

namespace json = boost::json;

// Parses strict JSON (RFC 8259; no NaN or infinity) of at most 32 nested levels. Throws InvalidArgument, naming
// `argument`, with the place of the mistake.
json::value parse_json(std::string_view text, const ArgumentName& argument);

// The same, and the value must be an object.
json::object parse_json_object(std::string_view text, const ArgumentName& argument);

// What the object takes of memory, itself included; near enough for statistics. O(size).
size_t json_bytes(const json::object& object);

}  // namespace memspan
