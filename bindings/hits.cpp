#include "hits.hpp"

#include <pybind11/stl.h>

#include <string>

#include "arrays.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

py::object to_datetime(Micros at) { return py::module_::import("memspan.times").attr("from_micros")(at); }

py::object bound(Micros time) {
  const Interval open;
  return time == open.start || time == open.end ? py::none() : to_datetime(time);
}

py::dict views_of(const Hit& hit) {
  py::dict views;
  for (size_t v = 0; v < kViewCount; ++v) {
    if (hit.views[v].rank == 0) continue;
    views[py::str(kViewNames[v].data(), kViewNames[v].size())] = py::make_tuple(hit.views[v].rank, hit.views[v].score);
  }
  return views;
}

py::object explain_hit(const HitReference& self) {
  if (!self.result->explanation) return py::none();
  const HitExplanation& hit = self.result->explanation->hits[self.position];
  py::dict explanation;
  explanation["tags"] = py::cast(hit.tags);
  explanation["interval"] =
      hit.interval ? py::object(py::make_tuple(bound(hit.interval->start), bound(hit.interval->end))) : py::none();
  explanation["neighbor_of"] = hit.neighbor_of.empty() ? py::object(py::none()) : py::cast(hit.neighbor_of);
  explanation["neighbor_boost"] = hit.neighbor_boost;
  explanation["backfilled"] = hit.backfilled;
  return explanation;
}

py::object explain_search(const HitList& self) {
  if (!self.result->explanation) return py::none();
  const SearchExplanation& search = *self.result->explanation;
  py::dict excluded;
  for (size_t f = 0; f < kFilterNames.size(); ++f) {
    if (search.refused[f].count == 0) continue;
    py::dict refusal;
    refusal["count"] = search.refused[f].count;
    refusal["ids"] = py::cast(search.refused[f].ids);
    excluded[py::str(kFilterNames[f].data(), kFilterNames[f].size())] = refusal;
  }
  py::dict explanation;
  explanation["records"] = search.records;
  explanation["admissible"] = search.admissible;
  explanation["excluded"] = excluded;
  explanation["routed"] = py::cast(search.routed);
  explanation["boosting_tags"] = py::cast(search.boosting_tags);
  explanation["tokens"] = py::cast(search.tokens);
  explanation["scan"] = search.scan;
  explanation["depth"] = search.depth;
  return explanation;
}

HitReference hit_at(const HitList& self, py::ssize_t position) {
  const auto size = static_cast<py::ssize_t>(self.result->hits.size());
  if (position < 0) position += size;
  if (position < 0 || position >= size) throw py::index_error("hit " + std::to_string(position) + " of " + std::to_string(size));
  return {self.result, static_cast<size_t>(position)};
}

py::list slice_of(const HitList& self, const py::slice& slice) {
  py::ssize_t start = 0, stop = 0, step = 0, length = 0;
  if (!slice.compute(static_cast<py::ssize_t>(self.result->hits.size()), &start, &stop, &step, &length)) {
    throw py::error_already_set();
  }
  py::list hits;
  for (py::ssize_t i = 0; i < length; ++i) hits.append(hit_at(self, start + i * step));
  return hits;
}

bool same(const HitReference& a, const HitReference& b) {
  return a.hit().id == b.hit().id && a.hit().score == b.hit().score && a.hit().at == b.hit().at;
}

size_t count_of(const HitList& self, const HitReference& wanted) {
  size_t count = 0;
  for (size_t i = 0; i < self.result->hits.size(); ++i) count += same({self.result, i}, wanted);
  return count;
}

size_t position_of(const HitList& self, const HitReference& wanted) {
  for (size_t i = 0; i < self.result->hits.size(); ++i) {
    if (same({self.result, i}, wanted)) return i;
  }
  throw py::value_error("no such hit");
}

py::iterator iterate(const HitList& self) {
  py::list hits;
  for (size_t i = 0; i < self.result->hits.size(); ++i) hits.append(HitReference{self.result, i});
  return py::iter(hits);
}

template <typename T, typename Field>
py::array_t<T> column(const HitList& self, Field field) {
  py::array_t<T> values(static_cast<py::ssize_t>(self.result->hits.size()));
  T* out = values.mutable_data();
  for (const Hit& hit : self.result->hits) *out++ = field(hit);
  return values;
}

std::string describe(const HitReference& self) {
  return py::str("Hit(id={!r}, score={:.4f}, at={!r})")
      .format(self.hit().id, self.hit().score, py::str(to_datetime(self.hit().at).attr("isoformat")()))
      .cast<std::string>();
}

}  // namespace

void register_hits(py::module_& module) {
  py::class_<HitReference>(module, "Hit")
      .def_property_readonly("id", [](const HitReference& self) { return self.hit().id; })
      .def_property_readonly("score", [](const HitReference& self) { return self.hit().score; })
      .def_property_readonly("at", [](const HitReference& self) { return to_datetime(self.hit().at); })
      .def_property_readonly("views", [](const HitReference& self) { return views_of(self.hit()); })
      .def_property_readonly("explanation", &explain_hit)
      .def("__eq__", &same, py::is_operator())
      .def("__hash__", [](const HitReference& self) { return std::hash<std::string>()(self.hit().id); })
      .def("__repr__", &describe);

  py::class_<HitList>(module, "Hits")
      .def("__len__", [](const HitList& self) { return self.result->hits.size(); })
      .def("__iter__", &iterate)
      .def("index", &position_of)
      .def("count", &count_of)
      .def("__getitem__", &hit_at)
      .def("__getitem__", &slice_of)
      .def_property_readonly("ids",
                             [](const HitList& self) {
                               py::list ids;
                               for (const Hit& hit : self.result->hits) ids.append(py::str(hit.id));
                               return ids;
                             })
      .def_property_readonly("scores",
                             [](const HitList& self) { return column<float>(self, [](const Hit& hit) { return hit.score; }); })
      .def_property_readonly("ats",
                             [](const HitList& self) { return column<int64_t>(self, [](const Hit& hit) { return hit.at; }); })
      .def_property_readonly("explanation", &explain_search)
      .def("__repr__", [](const HitList& self) { return "Hits(" + std::to_string(self.result->hits.size()) + ")"; });
}

}  // namespace memspan::python
