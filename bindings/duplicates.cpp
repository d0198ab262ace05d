#include "memspan/duplicates.hpp"

#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "memspan/index.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

// The pairs as (id, id, cosine), whether these are all, and how many records were compared.
std::tuple<std::vector<std::tuple<std::string, std::string, float>>, bool, uint64_t> duplicates(
    const Index& self, const std::string& user, float threshold, const std::vector<uint8_t>& kinds, int64_t since,
    size_t most, unsigned threads) {
  const py::gil_scoped_release release;
  DuplicateQuery query{.threshold = threshold, .kinds = {}, .since = since, .most = most, .threads = threads};
  for (const uint8_t kind : kinds) query.kinds.push_back(static_cast<Kind>(kind));
  Duplicates found = self.duplicates(user, query);
  std::vector<std::tuple<std::string, std::string, float>> pairs;
  pairs.reserve(found.pairs.size());
  for (DuplicatePair& pair : found.pairs) {
    pairs.emplace_back(std::move(pair.first), std::move(pair.second), pair.cosine);
  }
  return {std::move(pairs), found.complete, found.records};
}

}  // namespace

void register_duplicates(py::module_& module) {
  py::reinterpret_borrow<py::class_<Index>>(module.attr("Index")).def("duplicates", &duplicates);
}

}  // namespace memspan::python
