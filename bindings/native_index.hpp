// The native objects inside those of the package: each has one, called `_native`.
#pragma once

#include <pybind11/pybind11.h>

#include "memspan/index.hpp"

namespace memspan::python {

// The core's index inside a memspan.Index. Keeps it alive during a call, even if the
// Python object loses it meanwhile.
class NativeIndex {
 public:
  // Of the Python object's `_native`; empty, with no error set, where that is anything unexpected.
  explicit NativeIndex(PyObject* owner);
  explicit operator bool() const { return index_ != nullptr; }
  Index* operator->() const { return index_; }

 private:
  pybind11::object holder_;
  Index* index_ = nullptr;
};

// Sets the `_native` of a memspan.Query.
void set_native(PyObject* owner, const pybind11::object& native);

}  // namespace memspan::python
