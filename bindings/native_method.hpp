// Methods of Python classes that are answered natively when their arguments are of the common types.
#pragma once

#include <pybind11/pybind11.h>

namespace memspan::python {

// A callable that stands in a class body for the Python function `function`, and carries its name, documentation and
// signature. A call goes to `fast`, which answers it, or returns `slow_path(...)` before anything has happened.
pybind11::object make_native_method(const pybind11::object& function, vectorcallfunc fast);

// Calls the Python function with the arguments as they came.
PyObject* slow_path(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords);

// Makes the type. Called once, when the module is loaded.
void register_native_method();

}  // namespace memspan::python
