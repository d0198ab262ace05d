// The array types of the native border, named once. `_core` never converts: the Python layer hands in what is asked.
#pragma once

#include <pybind11/numpy.h>

#include <span>

#include "memspan/error.hpp"

namespace memspan::python {
namespace py = pybind11;

using FloatArray = py::array_t<float, py::array::c_style>;      // float32, C order
using MicrosArray = py::array_t<int64_t, py::array::c_style>;   // UTC microseconds
using KindArray = py::array_t<uint8_t, py::array::c_style>;     // values of memspan::Kind

template <typename Array>
auto as_span(const Array& array) {
  return std::span(array.data(), static_cast<size_t>(array.size()));
}

}  // namespace memspan::python
