// Python strings as UTF-8 views, without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>
#include <vector>

#include "fast_values.hpp"

namespace memspan::python {
namespace py = pybind11;

// The UTF-8 form that the `str` object keeps inside: valid while the object lives. Empty for None. Needs the GIL.
inline std::string_view as_view(py::handle text) {
  std::string_view view;
  if (text.is_none() || view_text(text.ptr(), view)) return view;
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);  // of a subclass of str, or the error
  if (bytes == nullptr) throw py::error_already_set();
  return {bytes, static_cast<size_t>(size)};
}

// The views of a list that nobody else can change during the call.
inline std::vector<std::string_view> as_views(const py::list& texts) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (py::handle text : texts) views.push_back(as_view(text));
  return views;
}

}  // namespace memspan::python
