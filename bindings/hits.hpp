// Search results as Python sees them: a sequence, and hits and arrays made when they are looked at.
#pragma once

#include <pybind11/pybind11.h>

#include "memspan/query.hpp"

namespace memspan::python {

// `_core.Hits`. Immutable once a caller has it.
struct HitsObject {
  PyObject_HEAD
  SearchResult result;
};

// An answer for the caller to fill, whose hits are memory to use again; null with a Python error if there is no memory.
HitsObject* new_hits();

// `_core.Hit`: one position of an answer, which it keeps alive.
struct HitObject {
  PyObject_HEAD
  HitsObject* hits;
  size_t position;
  const Hit& hit() const { return hits->result.hits[position]; }
};

pybind11::object new_hit(HitsObject* hits, size_t position);
const HitObject* hit_of(PyObject* object);  // null for any other object
bool same_hit(const Hit& a, const Hit& b);
void register_hit(pybind11::module_& module);

// The values of Hit.explanation and Hits.explanation.
pybind11::object explain_hit(const HitObject& hit);
pybind11::object explain_search(const SearchResult& result);

}  // namespace memspan::python
