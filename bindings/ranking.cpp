// What the learned ranking takes and tells: names and values of features, and weights with hints.
#include "memspan/ranking.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "memspan/index.hpp"
#include "memspan/ranking_net.hpp"
#include "query_object.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

std::shared_ptr<RankingNet> make_net(const FloatArray& mean, const FloatArray& scale, const FloatArray& weights,
                                     const FloatArray& bias, const FloatArray& out) {
  return std::make_shared<RankingNet>(as_span(mean), as_span(scale), as_span(weights), as_span(bias), as_span(out));
}

// `weights` in the order of feature_names; intervals as Python gives those of `between`.
std::shared_ptr<Ranking> make_ranking(const FloatArray& weights,
                                      const std::vector<std::pair<std::optional<Micros>, std::optional<Micros>>>& hints,
                                      bool distinct, uint32_t sessions, float diversity, float spread,
                                      std::shared_ptr<RankingNet> net) {
  const auto values = as_span(weights);
  if (values.size() != kRankFeatures) {
    throw InvalidArgument("weights", std::to_string(values.size()) + " numbers", std::to_string(kRankFeatures) + " numbers");
  }
  auto ranking = std::make_shared<Ranking>();
  std::copy(values.begin(), values.end(), ranking->weights.begin());
  ranking->net = std::move(net);
  const Interval open;
  for (const auto& [start, end] : hints) ranking->hints.push_back({start.value_or(open.start), end.value_or(open.end)});
  ranking->selection = {.distinct = distinct, .sessions = sessions, .diversity = diversity, .spread = spread};
  return ranking;
}

// The ids of the records that a learned ranking scores for the query, and their features, shape (n, features).
std::pair<std::vector<std::string>, FloatArray> features(const Index& self, const py::object& query) {
  const Query* const asked = query_of(query.ptr());
  if (asked == nullptr) throw py::type_error("a _core.Query is wanted");
  RankingFeatures found;
  {
    const ReleasedGil released;
    found = self.features(*asked);
  }
  FloatArray rows({found.rows.size(), kRankFeatures});
  for (size_t i = 0; i < found.rows.size(); ++i) std::copy_n(found.rows[i].data(), kRankFeatures, rows.mutable_data() + i * kRankFeatures);
  return {std::move(found.ids), std::move(rows)};
}

}  // namespace

void register_ranking(py::module_& module) {
  py::class_<RankingNet, std::shared_ptr<RankingNet>>(module, "RankingNet")
      .def(py::init(&make_net), py::kw_only(), py::arg("mean"), py::arg("scale"), py::arg("weights"), py::arg("bias"),
           py::arg("out"));
  py::class_<Ranking, std::shared_ptr<Ranking>>(module, "Ranking").def(
      py::init(&make_ranking), py::arg(), py::arg(), py::kw_only(), py::arg("distinct") = false, py::arg("sessions") = 1,
      py::arg("diversity") = 0.0f, py::arg("spread") = 0.0f, py::arg("net") = nullptr);
  module.def("feature_names", [] { return std::vector<std::string>(kRankFeatureNames.begin(), kRankFeatureNames.end()); });
  module.def("ranking_features", &features);
}

}  // namespace memspan::python
