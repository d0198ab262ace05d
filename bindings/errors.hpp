// The core's errors as Python exceptions.
#pragma once

#include <pybind11/pybind11.h>

namespace memspan::python {

// Makes each C++ error arrive in Python as the class of memspan.errors with the same meaning, and FileError as OSError.
void register_errors();

// Inside a catch block of a function that pybind11 does not call: sets the Python error that belongs to the exception.
void set_python_error() noexcept;

}  // namespace memspan::python
