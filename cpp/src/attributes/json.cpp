#include "attributes/json.hpp"

#include <algorithm>
#include <boost/json/src.hpp>
#include <cmath>
#include <string>

#include "memspan/error.hpp"
#include "memspan/types.hpp"

namespace memspan {
namespace {

// The parser reads 1e400, and integers as long, as infinity.
bool all_finite(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number);
  if (const json::array* list = value.if_array()) return std::all_of(list->begin(), list->end(), all_finite);
  if (const json::object* object = value.if_object()) {
    return std::all_of(object->begin(), object->end(), [](const auto& field) { return all_finite(field.value()); });
  }
  return true;
}

size_t content_bytes(const json::value& value) {
  if (const json::object* object = value.if_object()) return json_bytes(*object) - sizeof(json::object);
  if (const json::string* text = value.if_string()) {
    return text->capacity() > json::string().capacity() ? text->capacity() + 1 : 0;
  }
  size_t total = 0;
  if (const json::array* list = value.if_array()) {
    total = list->capacity() * sizeof(json::value);
    for (const json::value& item : *list) total += content_bytes(item);
  }
  return total;
}

}  // namespace

size_t json_bytes(const json::object& object) {
  size_t total = sizeof(json::object) + object.capacity() * sizeof(json::key_value_pair);
  for (const json::key_value_pair& field : object) total += field.key().size() + 1 + content_bytes(field.value());
  return total;
}

json::value parse_json(std::string_view text, const ArgumentName& argument) {
  json::parse_options options;
  options.max_depth = limits::kWhereDepth;
  options.numbers = json::number_precision::precise;  // what a snapshot writes must be read as the same number
  json::stream_parser parser({}, options);
  boost::system::error_code error;
  const size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (!error && read != text.size()) error = json::error::extra_data;
  if (error) {
    throw InvalidArgument(argument.text(), "JSON with a mistake near byte " + std::to_string(read) + " (" + error.message() + ")",
                          "JSON of at most " + std::to_string(limits::kWhereDepth) + " nested levels");
  }
  json::value value = parser.release();
  if (!all_finite(value)) {
    throw InvalidArgument(argument.text(), "JSON with a number that no double can hold", "numbers up to 1.8e308");
  }
  return value;
}

json::object parse_json_object(std::string_view text, const ArgumentName& argument) {
  json::value value = parse_json(text, argument);
  if (!value.is_object()) throw InvalidArgument(argument.text(), "JSON that is not an object", "a JSON object");
  return std::move(value.as_object());
}

}  // namespace memspan
