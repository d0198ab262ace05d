// What tokens say of records: their blocks, MaxSim, and what it adds to the scores of a ranking.
#include "ranking/late_scores.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "memspan/types.hpp"
#include "register.hpp"
#include "vectors/max_similarity.hpp"

namespace memspan::python {
namespace {

using ByteArray = py::array_t<int8_t, py::array::c_style>;
using DoubleArray = py::array_t<double, py::array::c_style>;

// As many as an embedder may have.
constexpr auto kMostColumns = static_cast<py::ssize_t>(limits::kDim);

bool has_width(py::ssize_t columns) { return columns >= 1 && columns <= kMostColumns; }

// Rows of a token each; none at all may have no columns either.
std::shared_ptr<TokenBlocks> make_blocks(const ByteArray& rows) {
  if (rows.size() == 0) return std::make_shared<TokenBlocks>(std::span<const int8_t>(), 1);
  if (rows.ndim() != 2 || !has_width(rows.shape(1))) {
    throw InvalidArgument("rows: a matrix of 1 to 8,192 columns is needed");
  }
  return std::make_shared<TokenBlocks>(as_span(rows), static_cast<size_t>(rows.shape(1)));
}

// One for each record, with the question's tokens, shape (tokens, dim); of records with none it is NaN.
FloatArray max_similarities(const FloatArray& question, const std::vector<std::shared_ptr<TokenBlocks>>& records) {
  if (question.ndim() != 2 || !has_width(question.shape(1))) {
    throw InvalidArgument("question: a matrix of 1 to 8,192 columns is needed");
  }
  const auto n = static_cast<size_t>(question.shape(1));
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i] == nullptr || (records[i]->tokens() > 0 && records[i]->n() != n)) {
      throw InvalidArgument("records[" + std::to_string(i) + "]: blocks of as many columns as the question's are needed");
    }
  }
  MaxSimilarity similarity(as_span(question), n);
  FloatArray out(static_cast<py::ssize_t>(records.size()));
  float* const similarities = out.mutable_data();
  {
    const ReleasedGil release;
    for (size_t i = 0; i < records.size(); ++i) similarities[i] = similarity(*records[i]);
  }
  return out;
}

FloatArray features_of(const FloatArray& similarities) {
  const auto is_nan = [](float similarity) { return std::isnan(similarity); };
  if (std::ranges::any_of(as_span(similarities), is_nan)) {
    throw InvalidArgument("similarities: a number each is needed, without those of records that have no tokens");
  }
  const std::vector<LateRow> rows = late_features(as_span(similarities));
  FloatArray out({rows.size(), kLateFeatures});
  float* value = out.mutable_data();
  for (const LateRow& row : rows) {
    for (const double each : row) *value++ = static_cast<float>(each);
  }
  return out;
}

DoubleArray added(const std::optional<DoubleArray>& base, const std::optional<FloatArray>& features,
                  const FloatArray& similarities, const std::optional<FloatArray>& weights, double share, double by_rank) {
  const auto count = similarities.size();
  if (features && (!base || !weights || base->size() != count || features->size() != count * py::ssize_t{kRankFeatures} ||
                   weights->size() != py::ssize_t{kRankFeatures + kLateFeatures})) {
    throw InvalidArgument("features: a row a similarity, with base and weights, is needed");
  }
  const std::vector<double> values =
      late_added(base ? as_span(*base) : std::span<const double>(), features ? as_span(*features) : std::span<const float>(),
                 as_span(similarities), {weights ? as_span(*weights) : std::span<const float>(), share, by_rank});
  DoubleArray out(count);
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

}  // namespace

void register_late_scores(py::module_& module) {
  py::class_<TokenBlocks, std::shared_ptr<TokenBlocks>>(module, "TokenBlocks")
      .def(py::init(&make_blocks), py::arg().noconvert())
      .def("__len__", &TokenBlocks::tokens)
      .def_property_readonly("nbytes", &TokenBlocks::bytes);
  module.def("max_similarities", &max_similarities, py::arg().noconvert(), py::arg());
  module.def("late_features", &features_of, py::arg().noconvert());
  module.def("late_added", &added, py::arg("base").noconvert(), py::arg("features").noconvert(),
             py::arg("similarities").noconvert(), py::arg("weights").noconvert(), py::arg("share"), py::arg("by_rank"));
}

}  // namespace memspan::python
