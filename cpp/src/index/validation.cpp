#include "index/validation.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash_map.hpp"
#include "lexical/tag_name.hpp"
#include "memspan/error.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 80;
  if (text.size() <= kShown) return "'" + std::string(text) + "'";
  size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return "'" + std::string(text.substr(0, end)) + "...' (" + std::to_string(text.size()) + " bytes)";
}

std::string at_most(size_t limit, std::string_view unit) { return "at most " + std::to_string(limit) + " " + std::string(unit); }

}  // namespace

void check_config(const IndexConfig& config) {
  if (config.dim < 1 || config.dim > limits::kDim) {
    throw InvalidArgument("dim", std::to_string(config.dim), "1-" + std::to_string(limits::kDim));
  }
  if (!std::isfinite(config.k1) || config.k1 < 0.0 || config.k1 > 100.0) {
    throw InvalidArgument("k1", std::to_string(config.k1), "0-100");
  }
  if (!std::isfinite(config.b) || config.b < 0.0 || config.b > 1.0) {
    throw InvalidArgument("b", std::to_string(config.b), "0-1");
  }
}

void check_name(std::string_view name, const ArgumentName& argument) {
  if (name.empty() || name.size() > limits::kNameBytes) {
    throw InvalidArgument(argument.text(), quoted(name), "1-" + std::to_string(limits::kNameBytes) + " bytes of UTF-8 text");
  }
}

void check_time(Micros time, const ArgumentName& argument) {
  if (time < kMinTime || time > kMaxTime) {
    throw InvalidTime(argument.text(), std::to_string(time) + " microseconds", "a time in years 1-9999");
  }
}

namespace {

// The normal form, or empty text for what is no tag.
std::string normal_tag(std::string_view tag) {
  std::string normal = tag.size() <= 4 * limits::kTagBytes ? normalize_tag(tag) : std::string();
  return normal.size() <= limits::kTagBytes ? normal : std::string();
}

[[noreturn]] void refuse_tag(std::string_view tag, const std::string& argument) {
  throw InvalidArgument(argument, quoted(tag), "a tag of 1-" + std::to_string(limits::kTagBytes) +
                                                   " bytes after normalisation to lower case and underscores");
}

}  // namespace

std::string checked_tag(std::string_view tag, const ArgumentName& argument) {
  std::string normal = normal_tag(tag);
  if (normal.empty()) refuse_tag(tag, argument.text());
  return normal;
}

template <typename Text>
std::vector<std::string> checked_tags(std::span<const Text> tags, const ArgumentName& argument, size_t limit) {
  if (tags.size() > limit) {
    throw InvalidArgument(argument.text(), std::to_string(tags.size()) + " tags", at_most(limit, "tags"));
  }
  constexpr size_t kFewTags = 64;  // so many are compared one by one
  std::vector<std::string> normal;
  normal.reserve(tags.size());
  StringSet seen;
  for (size_t i = 0; i < tags.size(); ++i) {
    std::string tag = normal_tag(tags[i]);
    if (tag.empty()) refuse_tag(tags[i], argument.text() + "[" + std::to_string(i) + "]");
    const bool is_new = tags.size() > kFewTags ? seen.insert(tag).second
                                               : std::find(normal.begin(), normal.end(), tag) == normal.end();
    if (is_new) normal.push_back(std::move(tag));
  }
  return normal;
}

template std::vector<std::string> checked_tags(std::span<const std::string>, const ArgumentName&, size_t);
template std::vector<std::string> checked_tags(std::span<const std::string_view>, const ArgumentName&, size_t);

void check_record(const RecordInput& record, size_t dim, std::optional<size_t> row) {
  check_name(record.user, {"user", row});
  check_name(record.id, {"id", row});
  check_time(record.at, {"at", row});
  if (record.until != kForever) {
    check_time(record.until, {"until", row});
    if (record.until < record.at) {
      throw InvalidTime(ArgumentName("until", row).text(), "a time before `at`", "a time at or after `at`, or none");
    }
  }
  check_time(record.recorded_at, {"recorded_at", row});
  if (static_cast<size_t>(record.kind) >= kKindCount) {
    throw InvalidArgument(ArgumentName("kind", row).text(), std::to_string(static_cast<int>(record.kind)), "one of the kinds");
  }
  if (record.text.size() > limits::kTextBytes) {
    throw InvalidArgument(ArgumentName("text", row).text(), std::to_string(record.text.size()) + " bytes", at_most(limits::kTextBytes, "bytes"));
  }
  if (!record.session.empty()) check_name(record.session, {"session", row});
  if (!record.speaker.empty()) check_name(record.speaker, {"speaker", row});
  if (record.metadata.size() > limits::kMetadataBytes) {
    throw InvalidArgument(ArgumentName("metadata", row).text(), std::to_string(record.metadata.size()) + " bytes of JSON",
                          at_most(limits::kMetadataBytes, "bytes of JSON"));
  }
  if (record.importance != kNotJudged && !(record.importance >= 0.0f && record.importance <= 1.0f)) {
    throw InvalidArgument(ArgumentName("importance", row).text(), std::to_string(record.importance), "0-1");
  }
  if (record.retired_at != kForever) check_time(record.retired_at, {"retired_at", row});
  if (record.expires_at != kForever) check_time(record.expires_at, {"expires_at", row});
  if (!record.embedding.empty()) check_embedding(record.embedding, dim, {"embedding", row});
}

}  // namespace memspan
