// Types made with the C API alone, where pybind11's bookkeeping for each object would cost more than the object.
#pragma once

#include <pybind11/pybind11.h>

#include <cstring>
#include <memory>

#include "errors.hpp"

namespace memspan::python {

// Makes a final type that Python code cannot instantiate, and puts it into the module. Its objects are made with
// PyObject_New and hold no references that could close a cycle. `name` is the full name and lives forever.
inline PyTypeObject* add_type(pybind11::module_& module, const char* name, size_t size, PyType_Slot* slots) {
  PyType_Spec spec = {name, static_cast<int>(size), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  auto type = pybind11::reinterpret_steal<pybind11::object>(PyType_FromSpec(&spec));
  if (!type) throw pybind11::error_already_set();
  module.attr(std::strrchr(name, '.') + 1) = type;
  return reinterpret_cast<PyTypeObject*>(type.release().ptr());  // a reference for the process's life
}

// The deallocator of an object of such a type, whose C++ part is `value`.
template <typename T>
void destroy(PyObject* self, T& value) {
  PyTypeObject* type = Py_TYPE(self);
  std::destroy_at(&value);
  PyObject_Free(self);
  Py_DECREF(type);
}

// Runs what may throw, as the body of a function that the C API calls; `work` gives a pybind11 object.
template <typename Work>
PyObject* guarded(Work work) noexcept {
  try {
    return pybind11::object(work()).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace memspan::python
