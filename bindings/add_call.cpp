// Index.add as a native method: one record, read straight from its keywords.
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "choices.hpp"
#include "fast_values.hpp"
#include "gil.hpp"
#include "json_text.hpp"
#include "keyword_parser.hpp"
#include "memspan/record.hpp"
#include "native_index.hpp"
#include "native_method.hpp"
#include "raw_type.hpp"
#include "register.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

// In the order of the signature.
enum RecordKeyword : size_t {
  kUser, kId, kAt, kText, kEmbedding, kTags, kKind, kUntil, kRecordedAt, kSession, kSpeaker, kMetadata,
  kImportance, kPinned, kRetiredAt, kExpiresAt, kRecordKeywords
};

using RecordValues = KeywordValues<kRecordKeywords>;

const InternedNames<kRecordKeywords>& record_keywords() {
  static const InternedNames<kRecordKeywords> names({"user", "id", "at", "text", "embedding", "tags", "kind", "until",
                                                     "recorded_at", "session", "speaker", "metadata", "importance",
                                                     "pinned", "retired_at", "expires_at"});
  return names;
}

// Copies of what another thread could change or drop during the call; used by one call of a thread at a time.
struct RecordScratch {
  std::vector<float> embedding;
  std::vector<std::string> tags;
  std::vector<std::string_view> tag_views;
  std::string metadata;

  // Frees memory that an unusually large record left behind.
  void trim() {
    constexpr size_t kKeptBytes = 1 << 18;
    if (metadata.capacity() > kKeptBytes) metadata = {};
    if (tags.capacity() > limits::kTagsPerRecord) tags = {};
  }
};

Micros now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

bool read_optional_text(PyObject* value, std::string_view& out) { return is_absent(value) || view_text(value, out); }

bool read_optional_micros(PyObject* value, Micros& out) { return is_absent(value) || read_micros(value, out); }

bool read_pin(PyObject* value, bool& out) {
  out = value == Py_True;
  return value == nullptr || PyBool_Check(value);
}

// The record's views lead into strings that the caller of the call holds, and into the scratch.
bool read_record(const RecordValues& values, RecordScratch& scratch, RecordInput& record) {
  if (values[kUser] == nullptr || values[kId] == nullptr || values[kAt] == nullptr) return false;
  if (is_absent(values[kRecordedAt])) record.recorded_at = now();
  if (!(view_text(values[kUser], record.user) && view_text(values[kId], record.id) &&
        read_micros(values[kAt], record.at) &&
        (values[kText] == nullptr || view_text(values[kText], record.text)) &&
        read_vector(values[kEmbedding], scratch.embedding) && read_texts(values[kTags], scratch.tags) &&
        (values[kKind] == nullptr || read_choice(values[kKind], choice_names().kinds, record.kind)) &&
        read_optional_micros(values[kUntil], record.until) &&
        read_optional_micros(values[kRecordedAt], record.recorded_at) &&
        read_optional_text(values[kSession], record.session) && read_optional_text(values[kSpeaker], record.speaker) &&
        read_json(values[kMetadata], scratch.metadata) && read_importance(values[kImportance], record.importance) &&
        read_pin(values[kPinned], record.pinned) && read_optional_micros(values[kRetiredAt], record.retired_at) &&
        read_optional_micros(values[kExpiresAt], record.expires_at))) {
    return false;
  }
  scratch.tag_views.assign(scratch.tags.begin(), scratch.tags.end());
  record.tags = scratch.tag_views;
  record.embedding = scratch.embedding;
  record.metadata = scratch.metadata;
  return true;
}

PyObject* add(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  RecordValues values;
  if (!parse_keywords(record_keywords(), args, nargsf, keywords, values)) {
    return slow_path(method, args, nargsf, keywords);
  }
  const NativeIndex index(args[0]);
  thread_local RecordScratch scratch;
  RecordInput record;
  // An embedding of another dimension goes the slow way too, which names the shape that came.
  if (!index || !read_record(values, scratch, record) ||
      (!record.embedding.empty() && record.embedding.size() != index->config().dim)) {
    return slow_path(method, args, nargsf, keywords);
  }
  return guarded([&] {
    {
      const ReleasedGil released;
      index->add({&record, 1}, false);
    }
    scratch.trim();
    return py::none();
  });
}

}  // namespace

void register_add_call(py::module_& module) {
  record_keywords();
  choice_names();
  module.def("native_add", [](const py::object& method) { return make_native_method(method, add); });
}

}  // namespace memspan::python
