// What `explain=True` tells, as Python dicts.
#include <pybind11/stl.h>

#include "hits.hpp"
#include "times.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

py::object bound(Micros time) {
  const Interval open;
  return time == open.start || time == open.end ? py::none() : to_datetime(time);
}

}  // namespace

py::object explain_hit(const HitObject& self) {
  const auto& search = self.hits->result.explanation;
  if (!search) return py::none();
  const HitExplanation& hit = search->hits[self.position];
  py::dict explanation;
  explanation["tags"] = py::cast(hit.tags);
  explanation["interval"] =
      hit.interval ? py::object(py::make_tuple(bound(hit.interval->start), bound(hit.interval->end))) : py::none();
  explanation["neighbor_of"] = hit.neighbor_of.empty() ? py::object(py::none()) : py::cast(hit.neighbor_of);
  explanation["neighbor_boost"] = hit.neighbor_boost;
  explanation["backfilled"] = hit.backfilled;
  explanation["tied"] = hit.tied;
  if (!hit.features.empty()) {
    py::dict features;
    for (const auto& [feature, part] : hit.features) {
      const std::string_view name = kRankFeatureNames[static_cast<size_t>(feature)];
      features[py::str(name.data(), name.size())] = part;
    }
    explanation["features"] = features;
    explanation["net"] = hit.net;
  }
  if (hit.selection) {
    py::dict selection;
    selection["rank"] = hit.selection->rank;
    selection["alike"] = hit.selection->alike;
    selection["beside"] = hit.selection->beside;
    selection["covers"] = hit.selection->covers;
    selection["repeats"] =
        hit.selection->repeats.empty() ? py::object(py::none()) : py::cast(hit.selection->repeats);
    explanation["selection"] = selection;
  }
  return explanation;
}

py::object explain_search(const SearchResult& result) {
  if (!result.explanation) return py::none();
  const SearchExplanation& search = *result.explanation;
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
  explanation["rows_read"] = search.rows_read;
  explanation["short_rows_read"] = search.short_rows_read;
  explanation["blocks"] = search.blocks;
  explanation["blocks_probed"] = search.blocks_probed;
  explanation["rescored"] = search.rescored;
  explanation["repeats"] = py::cast(search.repeats);
  return explanation;
}

}  // namespace memspan::python
