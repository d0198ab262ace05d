#include "memspan/query.hpp"

#include <pybind11/stl.h>

#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "query_object.hpp"
#include "raw_type.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

PyTypeObject* query_type = nullptr;  // set once

using OptionalInterval = std::pair<std::optional<Micros>, std::optional<Micros>>;

std::vector<Interval> to_intervals(const std::vector<OptionalInterval>& pairs) {
  std::vector<Interval> intervals;
  intervals.reserve(pairs.size());
  for (const auto& [start, end] : pairs) {
    const Interval open;
    intervals.push_back({start.value_or(open.start), end.value_or(open.end)});
  }
  return intervals;
}

template <typename Enum>
std::optional<std::vector<Enum>> to_enums(const std::optional<std::vector<uint8_t>>& numbers) {
  if (!numbers) return std::nullopt;
  std::vector<Enum> values;
  for (uint8_t number : *numbers) values.push_back(static_cast<Enum>(number));
  return values;
}

// Positional, in the order in which memspan/query.py passes them.
py::object make_query(std::string user, std::optional<std::string> text, const std::optional<FloatArray>& embedding,
                      std::vector<std::string> tags, const std::optional<std::vector<OptionalInterval>>& between,
                      const std::optional<std::vector<uint8_t>>& kinds, std::vector<std::string> require_tags,
                      std::string where, std::vector<std::string> exclude, std::optional<Micros> as_of,
                      std::optional<Micros> valid_at, uint32_t k, const std::optional<std::vector<uint8_t>>& views,
                      uint8_t fusion, const std::array<float, kViewCount>& weights,
                      std::shared_ptr<Ranking> ranking, uint32_t depth, uint32_t route,
                      uint32_t tag_depth, uint32_t neighbors, bool exact, float recall, bool explain, bool track,
                      bool features) {
  py::object made = new_query();
  Query& query = query_in(made);
  query.user = std::move(user);
  query.text = std::move(text);
  if (embedding) {
    const auto values = as_span(*embedding);
    if (values.empty()) throw InvalidEmbedding("embedding", "an empty array", "a vector of the index's dimension");
    query.embedding.assign(values.begin(), values.end());
  }
  query.tags = std::move(tags);
  if (between) query.between = to_intervals(*between);
  query.kinds = to_enums<Kind>(kinds);
  query.require_tags = std::move(require_tags);
  query.where = std::move(where);
  query.exclude = std::move(exclude);
  query.as_of = as_of;
  query.valid_at = valid_at;
  query.k = k;
  query.views = to_enums<View>(views);
  query.fusion = static_cast<Fusion>(fusion);
  query.weights = weights;
  query.ranking = std::move(ranking);
  query.depth = depth;
  query.route = route;
  query.tag_depth = tag_depth;
  query.neighbors = neighbors;
  query.exact = exact;
  query.recall = recall;
  query.explain = explain;
  query.track = track;
  query.features = features;
  return made;
}

// What differs from the defaults, as arguments. Not the ranking, the weights and the numbers that tune.
class Shown {
 public:
  template <typename Value>
  void add(const char* name, const Value& value) {
    add_text(name, py::cast<std::string>(py::repr(py::cast(value))));
  }
  template <typename Value>
  void add_if(bool wanted, const char* name, const Value& value) {
    if (wanted) add(name, value);
  }
  void add_text(const char* name, const std::string& text) {
    out_ += (out_.empty() ? "" : ", ") + std::string(name) + "=" + text;
  }
  template <typename Enum, typename Names>
  void add_names(const char* name, const std::optional<std::vector<Enum>>& values, const Names& names) {
    if (!values) return;
    std::vector<std::string_view> shown;
    for (const Enum value : *values) shown.push_back(names[static_cast<size_t>(value)]);
    add(name, shown);
  }
  std::string take() const { return "Query(" + out_ + ")"; }

 private:
  std::string out_;
};

PyObject* represent(PyObject* self) {
  return guarded([self] {
    const Query& query = *query_of(self);
    const Query usual;
    Shown shown;
    shown.add("user", query.user);
    shown.add_if(query.text.has_value(), "text", query.text);
    if (!query.embedding.empty()) {
      shown.add_text("embedding", "<" + std::to_string(query.embedding.size()) + " numbers>");
    }
    shown.add_if(!query.tags.empty(), "tags", query.tags);
    if (query.between) {
      const Interval open;
      const auto end_or_none = [](Micros end, Micros none) { return end == none ? std::nullopt : std::optional(end); };
      std::vector<OptionalInterval> spans;
      for (const Interval& interval : *query.between) {
        spans.emplace_back(end_or_none(interval.start, open.start), end_or_none(interval.end, open.end));
      }
      shown.add("between", spans);
    }
    shown.add_names("kinds", query.kinds, kKindNames);
    shown.add_if(!query.require_tags.empty(), "require_tags", query.require_tags);
    if (!query.where.empty()) shown.add_text("where", query.where);
    shown.add_if(!query.exclude.empty(), "exclude", query.exclude);
    shown.add_if(query.as_of.has_value(), "as_of", query.as_of);
    shown.add_if(query.valid_at.has_value(), "valid_at", query.valid_at);
    shown.add_if(query.k != usual.k, "k", query.k);
    shown.add_names("views", query.views, kViewNames);
    shown.add_if(query.fusion != usual.fusion, "fusion", kFusionNames[static_cast<size_t>(query.fusion)]);
    shown.add_if(query.exact, "exact", query.exact);
    shown.add_if(query.explain, "explain", query.explain);
    return py::cast(shown.take());
  });
}

void deallocate(PyObject* self) { destroy(self, reinterpret_cast<QueryObject*>(self)->query); }

}  // namespace

py::object new_query() {
  QueryObject* made = PyObject_New(QueryObject, query_type);
  if (made == nullptr) throw py::error_already_set();
  new (&made->query) Query();
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(made));
}

const Query* query_of(PyObject* object) {
  return Py_TYPE(object) == query_type ? &reinterpret_cast<QueryObject*>(object)->query : nullptr;
}

void register_query(py::module_& module) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                {0, nullptr}};
  query_type = add_type(module, "memspan._core.Query", sizeof(QueryObject), slots);
  module.def("make_query", &make_query);
}

}  // namespace memspan::python
