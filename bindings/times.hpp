// Times as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include "memspan/types.hpp"

namespace memspan::python {

// An aware datetime in UTC.
inline pybind11::object to_datetime(Micros at) {
  return pybind11::module_::import("memspan.times").attr("from_micros")(at);
}

}  // namespace memspan::python
