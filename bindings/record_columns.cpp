#include "record_columns.hpp"

#include "text.hpp"

namespace memspan::python {

std::vector<RecordInput> RecordColumns::to_records() {
  const size_t count = ids.size();
  const size_t dim = embeddings ? static_cast<size_t>(embeddings->shape(1)) : 0;
  std::vector<RecordInput> records(count);
  tag_views.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    RecordInput& record = records[i];
    record.user = as_view(users[i]);
    record.id = as_view(ids[i]);
    record.at = ats.data()[i];
    record.until = untils.data()[i];
    record.recorded_at = recorded_ats.data()[i];
    record.kind = static_cast<Kind>(kinds.data()[i]);
    record.text = as_view(texts[i]);
    record.session = as_view(sessions[i]);
    record.speaker = as_view(speakers[i]);
    record.metadata = as_view(metadatas[i]);
    const py::list names = tags[i];
    if (!names.empty()) {
      tag_views.push_back(std::make_unique<std::vector<std::string_view>>(as_views(names)));
      record.tags = *tag_views.back();
    }
    if (embeddings && (!has_embedding || has_embedding->data()[i] != 0)) {
      record.embedding = {embeddings->data() + i * dim, dim};
    }
  }
  return records;
}

}  // namespace memspan::python
