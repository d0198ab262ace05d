// JSON text of Python values, for metadata and filters on it.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace memspan::python {

// Absent or an empty dict: empty text. Otherwise what `json.dumps` gives without spaces and ASCII escapes, byte for
// byte, for a dict of exact dict, list, tuple, str, int, float, bool and None. False, with no Python error set, for
// anything else and for what memspan.arguments.as_json refuses. Runs no Python code.
bool read_json(PyObject* value, std::string& out);

// The same for a tuple or list; there is text for an empty one too.
bool read_json_list(PyObject* value, std::string& out);

}  // namespace memspan::python
