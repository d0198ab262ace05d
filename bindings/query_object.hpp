// A search as a Python value.
#pragma once

#include <pybind11/pybind11.h>

#include "memspan/query.hpp"

namespace memspan::python {

// `_core.Query`. Immutable once a caller has it.
struct QueryObject {
  PyObject_HEAD
  Query query;
};

// A new object with the defaults; the caller fills it.
pybind11::object new_query();

// Null for any other object.
const Query* query_of(PyObject* object);

inline Query& query_in(const pybind11::object& made) { return reinterpret_cast<QueryObject*>(made.ptr())->query; }

}  // namespace memspan::python
