#include "attributes/json.hpp"

#include <boost/json/src.hpp>
#include <string>

#include "memspan/error.hpp"
#include "memspan/types.hpp"

namespace memspan {

json::value parse_json(std::string_view text, const ArgumentName& argument) {
  json::parse_options options;
  options.max_depth = limits::kWhereDepth;
  json::stream_parser parser({}, options);
  boost::system::error_code error;
  const size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (!error && read != text.size()) error = json::error::extra_data;
  if (error) {
    throw InvalidArgument(argument.text(), "JSON with a mistake near byte " + std::to_string(read) + " (" + error.message() + ")",
                          "JSON of at most " + std::to_string(limits::kWhereDepth) + " nested levels");
  }
  return parser.release();
}

json::object parse_json_object(std::string_view text, const ArgumentName& argument) {
  json::value value = parse_json(text, argument);
  if (!value.is_object()) throw InvalidArgument(argument.text(), "JSON that is not an object", "a JSON object");
  return std::move(value.as_object());
}

}  // namespace memspan
