// Checks of names, times and tags that come from outside.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/argument_name.hpp"
#include "memspan/index.hpp"
#include "memspan/record.hpp"
#include "memspan/types.hpp"

namespace memspan {

// Throws InvalidArgument if a number is out of range.
void check_config(const IndexConfig& config);

// 1-512 bytes. Throws InvalidArgument.
void check_name(std::string_view name, const ArgumentName& argument);

// Years 1-9999. Throws InvalidTime.
void check_time(Micros time, const ArgumentName& argument);

// The tag in its normal form (lower case, underscores). Throws InvalidArgument if nothing or too much is left.
std::string checked_tag(std::string_view tag, const ArgumentName& argument);

// The tags in normal form, each once, in the order of their first mention. Throws InvalidArgument.
template <typename Text>
std::vector<std::string> checked_tags(std::span<const Text> tags, const ArgumentName& argument, size_t limit);

// Everything about a record but its tags and its metadata's syntax. `row` is its position in a call with columns.
void check_record(const RecordInput& record, size_t dim, std::optional<size_t> row);

}  // namespace memspan
