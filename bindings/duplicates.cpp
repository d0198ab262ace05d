#include "memspan/duplicates.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "memspan/index.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

constexpr size_t kMadeAtOnce = 128;

// The pairs as (id, id, cosine), whether these are all, and how many records were compared. Many pairs are made a few at a
// time, so that other threads get the interpreter in between.
py::tuple duplicates(const Index& self, const std::string& user, float threshold, const std::vector<uint8_t>& kinds,
                     int64_t since, size_t most, unsigned threads) {
  Duplicates found;
  {
    const ReleasedGil release;
    DuplicateQuery query{.threshold = threshold, .kinds = {}, .since = since, .most = most, .threads = threads};
    for (const uint8_t kind : kinds) query.kinds.push_back(static_cast<Kind>(kind));
    found = self.duplicates(user, query);
  }
  py::list pairs;
  for (size_t i = 0; i < found.pairs.size(); ++i) {
    if (i % kMadeAtOnce == kMadeAtOnce - 1) const ReleasedGil release;
    const DuplicatePair& pair = found.pairs[i];
    pairs.append(py::make_tuple(pair.first, pair.second, pair.cosine));
  }
  return py::make_tuple(std::move(pairs), found.complete, found.records);
}

}  // namespace

void register_duplicates(py::module_& module) {
  py::reinterpret_borrow<py::class_<Index>>(module.attr("Index")).def("duplicates", &duplicates);
}

}  // namespace memspan::python
