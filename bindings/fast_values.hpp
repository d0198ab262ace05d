// Readers of arguments that have one of the common exact types, for calls too short for general conversion.
//
// A reader returns false, with no Python error set, for everything uncommon: subclasses, other types, values out of
// range, text that UTF-8 cannot hold. The caller then takes the slow path, which converts the value or says what is
// wrong with it. A null value is an argument that was not given. What is read is copied, so that nothing refers to an
// array or a list after the GIL is released. No reader that succeeds runs Python code, so that a thread's scratch
// memory is never filled by two calls at once.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memspan/record.hpp"
#include "memspan/types.hpp"

namespace memspan::python {

// Looks up what the readers compare with. Called once, when the module is loaded.
void prepare_fast_values();

inline bool is_absent(PyObject* value) { return value == nullptr || value == Py_None; }

// UTF-8 of an exact str; the view holds while the object lives.
inline bool view_text(PyObject* value, std::string_view& out) {
  if (!PyUnicode_CheckExact(value)) return false;
  if (PyUnicode_IS_COMPACT_ASCII(value)) {
    out = {reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(value)),
           static_cast<size_t>(PyUnicode_GET_LENGTH(value))};
    return true;
  }
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    return false;
  }
  out = {bytes, static_cast<size_t>(size)};
  return true;
}

inline bool read_integer(PyObject* value, int64_t low, int64_t high, int64_t& out) {
  if (!PyLong_CheckExact(value)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0 || number < low || number > high) return false;
  out = number;
  return true;
}

// Absent: kNotJudged. Otherwise an exact float of 0-1.
inline bool read_importance(PyObject* value, float& out) {
  out = kNotJudged;
  if (is_absent(value)) return true;
  if (!PyFloat_CheckExact(value)) return false;
  const double number = PyFloat_AS_DOUBLE(value);
  out = static_cast<float>(number);
  return number >= 0.0 && number <= 1.0;
}

// UTC microseconds of an exact int, of ISO 8601 text in its usual form, or of an exact datetime that is naive or has
// the standard library's UTC.
bool read_micros(PyObject* value, Micros& out);

// An exact datetime as memspan.times.from_micros makes it.
bool is_utc_moment(PyObject* value);

// Absent: empty. Otherwise a one-dimensional C-contiguous array of native float32 or float64, not empty.
bool read_vector(PyObject* value, std::vector<float>& out);

// The entries of an exact tuple or list, for a short while: no Python code may run in between.
class Items {
 public:
  explicit Items(PyObject* value) {
    if (PyTuple_CheckExact(value)) {
      tuple_ = pybind11::reinterpret_borrow<pybind11::object>(value);
#ifdef Py_GIL_DISABLED
    } else if (PyList_CheckExact(value)) {  // another thread may change the list: copy it under its lock
      tuple_ = pybind11::reinterpret_steal<pybind11::object>(PyList_AsTuple(value));
      if (!tuple_) PyErr_Clear();
    }
    sequence_ = tuple_.ptr();
#else
      sequence_ = value;
    } else if (PyList_CheckExact(value)) {
      sequence_ = value;
    }
#endif
  }
  explicit operator bool() const { return sequence_ != nullptr; }
  size_t size() const { return static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence_)); }
  PyObject* operator[](size_t i) const { return PySequence_Fast_GET_ITEM(sequence_, static_cast<Py_ssize_t>(i)); }

 private:
  PyObject* sequence_ = nullptr;
  pybind11::object tuple_;
};

// Not given: empty. Otherwise a tuple or list of texts.
bool read_texts(PyObject* value, std::vector<std::string>& out);

}  // namespace memspan::python
