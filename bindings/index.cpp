#include "memspan/index.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "hits.hpp"
#include "native_index.hpp"
#include "query_object.hpp"
#include "record_columns.hpp"
#include "register.hpp"
#include "text.hpp"

namespace memspan::python {
namespace {

using Release = py::call_guard<ReleasedGil>;

std::vector<std::pair<std::string, std::string>> add(
         Index& self, const py::list& users, const py::list& ids, const MicrosArray& ats, const MicrosArray& untils,
         const MicrosArray& recorded_ats, const KindArray& kinds, const py::list& texts, const py::list& tags,
         const MicrosArray& tag_ends,
         const py::list& sessions, const py::list& speakers, const py::list& metadatas,
         const std::optional<FloatArray>& importances, const std::optional<KindArray>& pins,
         const std::optional<MicrosArray>& retired_ats, const std::optional<MicrosArray>& expires_ats,
         const std::variant<std::monostate, FloatArray, py::list>& embeddings,
         const std::optional<KindArray>& has_embedding, bool named_as_columns, bool evict) {
  RecordColumns columns{users, ids, texts, tags, sessions, speakers, metadatas, tag_ends, ats, untils, recorded_ats, kinds};
  columns.has_embedding = has_embedding;
  columns.importances = importances;
  columns.pins = pins;
  columns.retired_ats = retired_ats;
  columns.expires_ats = expires_ats;
  if (const auto* array = std::get_if<FloatArray>(&embeddings)) columns.embeddings = *array;
  if (const auto* rows = std::get_if<py::list>(&embeddings)) columns.embedding_rows = *rows;
  const auto records = columns.to_records();
  const ReleasedGil release;
  std::vector<std::pair<std::string, std::string>> evicted;
  for (Evicted& each : self.add(records, named_as_columns, evict)) {
    evicted.emplace_back(std::move(each.user), std::move(each.id));
  }
  return evicted;
}

size_t remove(Index& self, const std::string& user, const py::list& ids) {
  const std::vector<std::string_view> views = as_views(ids);
  const ReleasedGil release;
  return self.remove(user, views);
}

const Query& checked_query(py::handle object) {
  const Query* query = query_of(object.ptr());
  if (query == nullptr) throw py::type_error("a _core.Query is wanted");
  return *query;
}

py::object made_hits(SearchResult&& result) {
  HitsObject* hits = new_hits();
  if (hits == nullptr) throw py::error_already_set();
  hits->result = std::move(result);
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(hits));
}

py::object search(const Index& self, const py::object& query) {
  const Query& asked = checked_query(query);
  SearchResult result;
  {
    const ReleasedGil released;
    self.search(asked, result);
  }
  return made_hits(std::move(result));
}

// The list is the caller's own, so that it keeps the queries alive during the call.
py::list search_many(const Index& self, const py::list& queries, unsigned threads) {
  std::vector<const Query*> pointers;
  pointers.reserve(queries.size());
  for (py::handle query : queries) pointers.push_back(&checked_query(query));
  std::vector<SearchResult> results;
  {
    const ReleasedGil released;
    results = self.search_many(pointers, threads);
  }
  py::list lists(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    PyList_SET_ITEM(lists.ptr(), static_cast<Py_ssize_t>(i), made_hits(std::move(results[i])).release().ptr());
  }
  return lists;
}

std::vector<std::pair<std::string, float>> route(const Index& self, const std::string& user, const FloatArray& embedding,
                                                 uint32_t k, uint8_t method) {
  const auto values = as_span(embedding);
  const ReleasedGil release;
  return self.route(user, values, k, static_cast<RouteMethod>(method));
}

void set_tag_embedding(Index& self, const std::string& user, const std::string& tag, const FloatArray& embedding) {
  const auto values = as_span(embedding);
  const ReleasedGil release;
  self.set_tag_embedding(user, tag, values);
}

py::dict total_stats(const Index& self) {
  IndexStats stats;
  {
    const ReleasedGil release;
    stats = self.stats();
  }
  py::dict result;
  result["users"] = stats.users;
  result["resident_users"] = stats.resident_users;
  result["records"] = stats.records;
  result["embeddings"] = stats.embeddings;
  result["terms"] = stats.terms;
  result["tags"] = stats.tags;
  result["relations"] = stats.relations;
  result["bytes"] = stats.bytes;
  result["mapped_bytes"] = stats.mapped_bytes;
  result["failed_spills"] = stats.failed_spills;
  return result;
}

py::dict user_stats(const Index& self, const std::string& user) {
  UserStats stats;  // all zero for an unknown user
  {
    const ReleasedGil release;
    stats = self.stats(user).value_or(stats);
  }
  py::dict kinds;
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    if (stats.kinds[kind] != 0) kinds[py::str(kKindNames[kind].data(), kKindNames[kind].size())] = stats.kinds[kind];
  }
  py::dict result;
  result["records"] = stats.records;
  result["embeddings"] = stats.embeddings;
  result["documents"] = stats.documents;
  result["tokens"] = stats.tokens;
  result["terms"] = stats.terms;
  result["tags"] = stats.tags;
  result["relations"] = stats.relations;
  result["sessions"] = stats.sessions;
  result["kinds"] = kinds;
  result["pinned"] = stats.pinned;
  result["retired"] = stats.retired;
  result["expiring"] = stats.expiring;
  result["dead_slots"] = stats.dead_slots;
  result["bytes"] = stats.bytes;
  result["mapped_bytes"] = stats.mapped_bytes;
  result["earliest"] = stats.records ? py::cast(stats.earliest) : py::none();
  result["latest"] = stats.records ? py::cast(stats.latest) : py::none();
  return result;
}

std::vector<std::tuple<std::string, uint64_t, std::vector<std::string>, std::vector<std::string>, uint32_t>> tags(
    const Index& self, const std::string& user, bool retired) {
  const ReleasedGil release;
  std::vector<std::tuple<std::string, uint64_t, std::vector<std::string>, std::vector<std::string>, uint32_t>> rows;
  for (TagInfo& tag : self.tags(user, retired)) {
    rows.emplace_back(std::move(tag.name), tag.records, std::move(tag.parents), std::move(tag.children), tag.specificity);
  }
  return rows;
}

std::pair<std::vector<std::string>, std::vector<std::string>> names_of(
    const Index& self, const std::string& user, bool retired) {
  const ReleasedGil release;
  Index::Names names = self.names(user, retired);
  return {std::move(names.speakers), std::move(names.tags)};
}

std::pair<uint64_t, std::vector<uint64_t>> frequencies(const Index& self, const std::string& user, const py::list& words) {
  const std::vector<std::string_view> views = as_views(words);
  const ReleasedGil release;
  Index::Frequencies found = self.frequencies(user, views);
  return {found.documents, std::move(found.words)};
}

PyTypeObject* index_type = nullptr;  // _core.Index; set once
PyObject* native_name = nullptr;     // "_native", interned; set once

}  // namespace

NativeIndex::NativeIndex(PyObject* owner)
    : holder_(py::reinterpret_steal<py::object>(PyObject_GetAttr(owner, native_name))) {
  if (!holder_) {
    PyErr_Clear();
  } else if (Py_TYPE(holder_.ptr()) == index_type) {
    index_ = reinterpret_cast<py::detail::instance*>(holder_.ptr())->get_value_and_holder().value_ptr<Index>();
  }
}

void set_native(PyObject* owner, const py::object& native) {
  if (PyObject_SetAttr(owner, native_name, native.ptr()) != 0) throw py::error_already_set();
}

// Arguments are positional, in the order in which memspan/index.py passes them.
void register_index(py::module_& module) {
  py::class_<Index> type(module, "Index");
  type
      .def(py::init([](uint32_t dim, const std::string& analyzer, double k1, double b, const std::string& row_format,
                       size_t max_resident_bytes, const std::string& spill_directory) {
        return std::make_unique<Index>(IndexConfig{dim, parse_analyzer(analyzer), k1, b, parse_row_format(row_format)},
                                       Residency{max_resident_bytes, spill_directory});
      }))
      .def_static("load",
                  [](const std::string& path, size_t max_resident_bytes, const std::string& spill_directory, bool verify) {
                    return Index::load(path, {max_resident_bytes, spill_directory}, verify);
                  },
                  Release())
      .def("save", [](const Index& self, const std::string& path, const std::string& stamp) { self.save(path, stamp); }, Release())
      .def_property_readonly("stamp", &Index::stamp)
      .def_property_readonly("dim", [](const Index& self) { return self.config().dim; })
      .def_property_readonly("analyzer", [](const Index& self) { return std::string(analyzer_name(self.config().analyzer)); })
      .def_property_readonly("k1", [](const Index& self) { return self.config().k1; })
      .def_property_readonly("b", [](const Index& self) { return self.config().b; })
      .def_property_readonly("row_format", [](const Index& self) { return std::string(row_format_name(self.config().row_format)); })
      .def("add", &add)
      .def("remove", &remove)
      .def("forget", [](Index& self, const std::string& user) { return self.forget(user); }, Release())
      .def("search", &search)
      .def("search_many", &search_many)
      .def("locate", [](const Index& self, const std::string& user, const std::string& id) { return self.locate(user, id); }, Release())
      .def("beside", [](const Index& self, const std::string& user, const std::vector<std::string>& ids, bool same_kind) { return self.beside(user, ids, same_kind); }, Release())
      .def("relate", [](Index& self, const std::string& user, const std::string& parent, const std::string& child) { return self.relate(user, parent, child); }, Release())
      .def("unrelate", [](Index& self, const std::string& user, const std::string& parent, const std::string& child) { return self.unrelate(user, parent, child); }, Release())
      .def("expand", [](const Index& self, const std::string& user, const std::vector<std::string>& tags, uint32_t depth) { return self.expand(user, tags, depth); }, Release())
      .def("route", &route)
      .def("tags", &tags)
      .def("set_tag_embedding", &set_tag_embedding)
      .def("rename_tag", [](Index& self, const std::string& user, const std::string& old_name, const std::string& new_name) { return self.rename_tag(user, old_name, new_name); }, Release())
      .def("merge_tags", [](Index& self, const std::string& user, const std::vector<std::string>& tags, const std::string& into) { return self.merge_tags(user, tags, into); }, Release())
      .def("drop_tags", [](Index& self, const std::string& user, const std::vector<std::string>& tags) { return self.drop_tags(user, tags); }, Release())
      .def("users", &Index::users, Release())
      .def("frequencies", &frequencies)
      .def("names", &names_of)
      .def("names_version", &Index::names_version, py::call_guard<ReleasedGil>())
      .def("ids", [](const Index& self, const std::string& user) { return self.ids(user); }, Release())
      .def("__len__", &Index::size, Release())
      .def("total_stats", &total_stats)
      .def("user_stats", &user_stats);
  index_type = reinterpret_cast<PyTypeObject*>(type.release().ptr());  // a reference for the process's life
  native_name = PyUnicode_InternFromString("_native");
  if (native_name == nullptr) throw py::error_already_set();
}

}  // namespace memspan::python
