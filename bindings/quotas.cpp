#include "memspan/quotas.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "gil.hpp"
#include "memspan/index.hpp"
#include "register.hpp"
#include "text.hpp"

namespace memspan::python {
namespace {

using OptionalText = std::optional<std::string>;
using UseArray = py::array_t<uint32_t, py::array::c_style>;

std::optional<std::string_view> view_of(const OptionalText& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

// One capacity for each kind, None for no limit; no list: no quotas.
void set_quotas(Index& self, const OptionalText& user, const std::optional<std::vector<std::optional<uint32_t>>>& capacities,
                uint8_t eviction) {
  std::optional<Quotas> quotas;
  if (capacities) {
    quotas.emplace();
    quotas->eviction = static_cast<Eviction>(eviction);
    for (size_t kind = 0; kind < kKindCount; ++kind) {
      quotas->capacities[kind] = capacities->at(kind).value_or(Quotas::kUnlimited);
    }
  }
  const ReleasedGil release;
  self.set_quotas(view_of(user), quotas);
}

std::optional<std::pair<std::vector<std::optional<uint32_t>>, uint8_t>> quotas(const Index& self, const OptionalText& user) {
  const std::optional<Quotas> set = self.quotas(view_of(user));
  if (!set) return std::nullopt;
  std::vector<std::optional<uint32_t>> capacities;
  for (const uint32_t capacity : set->capacities) {
    capacities.push_back(capacity == Quotas::kUnlimited ? std::nullopt : std::optional(capacity));
  }
  return std::pair(std::move(capacities), static_cast<uint8_t>(set->eviction));
}

size_t pin(Index& self, const std::string& user, const py::list& ids, bool pinned) {
  const std::vector<std::string_view> views = as_views(ids);
  const ReleasedGil release;
  return self.pin(user, views, pinned);
}

size_t note_uses(Index& self, const std::string& user, const py::list& ids) {
  const std::vector<std::string_view> views = as_views(ids);
  const ReleasedGil release;
  return self.note_uses(user, views);
}

template <typename Array, typename Value>
Array to_array(const std::vector<Value>& values) {
  return Array(static_cast<py::ssize_t>(values.size()), values.data());
}

py::tuple take_uses(const Index& self, const std::string& user) {
  Uses uses;
  {
    const ReleasedGil release;
    uses = self.take_uses(user);
  }
  return py::make_tuple(std::move(uses.ids), to_array<UseArray>(uses.counts), to_array<MicrosArray>(uses.lasts));
}

size_t set_uses(Index& self, const std::string& user, std::vector<std::string> ids, const UseArray& counts,
                const MicrosArray& lasts) {
  const auto some_counts = as_span(counts);
  const auto some_lasts = as_span(lasts);
  const Uses uses{std::move(ids), {some_counts.begin(), some_counts.end()}, {some_lasts.begin(), some_lasts.end()}};
  const ReleasedGil release;
  return self.set_uses(user, uses);
}

std::vector<std::string> evict(Index& self, const std::string& user, size_t most) { return self.evict(user, most); }

}  // namespace

void register_quotas(py::module_& module) {
  auto index = py::reinterpret_borrow<py::class_<Index>>(module.attr("Index"));
  index.def("set_quotas", &set_quotas)
      .def("quotas", &quotas)
      .def("evict", &evict, py::call_guard<ReleasedGil>())
      .def("pin", &pin)
      .def("track_uses", &Index::track_uses)
      .def("note_uses", &note_uses)
      .def("take_uses", &take_uses)
      .def("set_uses", &set_uses);
}

}  // namespace memspan::python
