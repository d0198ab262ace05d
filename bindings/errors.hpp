// The core's errors as Python exceptions.
#pragma once

#include <pybind11/pybind11.h>

namespace memspan::python {

// Makes each C++ error arrive in Python as the class of memspan.errors with the same meaning, and FileError as OSError.
void register_errors();

}  // namespace memspan::python
