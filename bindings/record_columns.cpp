#include "record_columns.hpp"

#include "text.hpp"

namespace memspan::python {
namespace {

// Of a list that nobody else can change.
std::string_view view_at(const py::list& texts, size_t i) {
  return as_view(PyList_GET_ITEM(texts.ptr(), static_cast<Py_ssize_t>(i)));
}

}  // namespace

huge_pages::PassingVector<RecordInput> RecordColumns::to_records() {
  const size_t count = ids.size();
  const size_t dim = embeddings ? static_cast<size_t>(embeddings->shape(1)) : 0;
  huge_pages::PassingVector<RecordInput> records(count);
  tag_views.reserve(tags.size());
  for (const py::handle tag : tags) tag_views.push_back(as_view(tag));
  for (size_t i = 0; i < count; ++i) {
    RecordInput& record = records[i];
    record.user = view_at(users, i);
    record.id = view_at(ids, i);
    record.at = ats.data()[i];
    record.until = untils.data()[i];
    record.recorded_at = recorded_ats.data()[i];
    record.kind = static_cast<Kind>(kinds.data()[i]);
    record.text = view_at(texts, i);
    record.session = view_at(sessions, i);
    record.speaker = view_at(speakers, i);
    record.metadata = view_at(metadatas, i);
    if (importances) record.importance = importances->data()[i];
    if (pins) record.pinned = pins->data()[i] != 0;
    if (retired_ats) record.retired_at = retired_ats->data()[i];
    if (expires_ats) record.expires_at = expires_ats->data()[i];
    const auto begin = static_cast<size_t>(i == 0 ? 0 : tag_ends.data()[i - 1]);
    record.tags = std::span(tag_views).subspan(begin, static_cast<size_t>(tag_ends.data()[i]) - begin);
    if (embeddings && (!has_embedding || has_embedding->data()[i] != 0)) {
      record.embedding = {embeddings->data() + i * dim, dim};
    } else if (embedding_rows) {
      const auto* row = py::detail::array_proxy(PyList_GET_ITEM(embedding_rows->ptr(), static_cast<Py_ssize_t>(i)));
      record.embedding = {reinterpret_cast<const float*>(row->data), static_cast<size_t>(row->dimensions[0])};
    }
  }
  return records;
}

}  // namespace memspan::python
