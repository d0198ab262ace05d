#include "vectors/max_similarity.hpp"

#include <pybind11/stl.h>

#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

using ByteArray = py::array_t<int8_t, py::array::c_style>;

// As many as an embedder may have.
constexpr py::ssize_t kMostColumns = 8192;

// Of each record, an array of shape (n, dim) or an empty one, with the question's tokens, shape (tokens, dim).
FloatArray max_similarities(const FloatArray& question, const std::vector<ByteArray>& records) {
  if (question.ndim() != 2 || question.shape(1) < 1 || question.shape(1) > kMostColumns) {
    throw InvalidArgument("question: a matrix of 1 to 8,192 columns is needed");
  }
  std::vector<std::span<const int8_t>> texts;
  texts.reserve(records.size());
  for (const ByteArray& record : records) {
    if (record.size() > 0 && (record.ndim() != 2 || record.shape(1) != question.shape(1))) {
      throw InvalidArgument("records[" + std::to_string(texts.size()) + "]: as many columns as the question's are needed");
    }
    texts.push_back(as_span(record));
  }
  FloatArray out(static_cast<py::ssize_t>(records.size()));
  float* const similarities = out.mutable_data();
  {
    const py::gil_scoped_release release;
    MaxSimilarity similarity(as_span(question), static_cast<size_t>(question.shape(1)));
    for (size_t i = 0; i < texts.size(); ++i) similarities[i] = similarity(texts[i]);
  }
  return out;
}

}  // namespace

void register_max_similarities(py::module_& module) {
  module.def("max_similarities", &max_similarities, py::arg("question").noconvert(), py::arg("records").noconvert());
}

}  // namespace memspan::python
