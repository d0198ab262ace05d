#include "memspan/consolidation.hpp"

#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "memspan/index.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

// In the order of the fields of memspan.ConsolidationReport (consolidation.py).
py::tuple to_tuple(const ConsolidationReport& report) {
  return py::make_tuple(report.users, report.skipped, report.records, report.clusters, report.clustered_by_tags, report.clustered_anew,
                        report.blocks_before, report.blocks_after, report.cohesion_before, report.cohesion_after,
                        report.fragmentation_before, report.fragmentation_after, report.bytes_moved,
                        report.estimated_gain, report.measured_gain, report.seconds);
}

py::tuple consolidate(Index& self, const std::optional<std::string>& user, bool force, size_t threads) {
  ConsolidationReport report;
  {
    const ReleasedGil release;
    report = user ? self.consolidate(*user, force, threads) : self.consolidate_all(force, threads);
  }
  return to_tuple(report);
}

py::tuple auto_consolidations(const Index& self) {
  const AutoConsolidations state = self.auto_consolidations();
  py::list reports;
  for (const ConsolidationReport& report : state.reports) reports.append(to_tuple(report));
  return py::make_tuple(state.done, state.failed, state.waiting, reports);
}

std::vector<std::tuple<std::string, uint32_t, uint32_t, uint32_t, uint32_t>> layout_map(const Index& self,
                                                                                       const std::string& user) {
  const ReleasedGil release;
  std::vector<std::tuple<std::string, uint32_t, uint32_t, uint32_t, uint32_t>> rows;
  for (TagSpan& span : self.layout_map(user)) {
    rows.emplace_back(std::move(span.tag), span.start, span.end, span.cluster, span.records);
  }
  return rows;
}

}  // namespace

void register_consolidation(py::module_& module) {
  auto index = py::reinterpret_borrow<py::class_<Index>>(module.attr("Index"));
  index.def("consolidate", &consolidate)
      .def("consolidate_by_itself", &Index::consolidate_by_itself)
      .def("auto_consolidations", &auto_consolidations)
      .def("layout_map", &layout_map);
}

}  // namespace memspan::python
