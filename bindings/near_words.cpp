#include "lexical/near_words.hpp"

#include <pybind11/stl.h>

#include "register.hpp"
#include "text.hpp"

namespace memspan::python {

void register_near_words(py::module_& module) {
  py::class_<NearWords>(module, "NearWords")
      .def(py::init([](const py::list& words) { return NearWords(as_views(words)); }), py::arg("words"))
      .def("near", [](const NearWords& self, const py::str& word) { return self.near(as_view(word)); }, py::arg("word"));
}

}  // namespace memspan::python
