// Keyword arguments of a native call, found by the identity of their names.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <string_view>

namespace memspan::python {

// A fixed set of interned strings. Made once, while the module is loaded, and never freed; read by any thread.
template <size_t N>
class InternedNames {
 public:
  explicit InternedNames(const std::array<std::string_view, N>& names) {
    for (size_t i = 0; i < N; ++i) {
      names_[i] = PyUnicode_InternFromString(std::string(names[i]).c_str());
      if (names_[i] == nullptr) throw pybind11::error_already_set();
    }
  }

  // Position of `name`, or N. Names in source code are interned, so that the first loop finds them, at once if they
  // come in the order of the set and `hint` is one past the last one found. Other strings are compared by value.
  size_t find(PyObject* name, size_t hint = 0) const {
    for (size_t i = hint; i < N; ++i) {
      if (names_[i] == name) return i;
    }
    for (size_t i = 0; i < hint && i < N; ++i) {
      if (names_[i] == name) return i;
    }
    if (!PyUnicode_CheckExact(name)) return N;
    for (size_t i = 0; i < N; ++i) {
      if (PyUnicode_Compare(names_[i], name) == 0) return i;
    }
    return N;
  }

 private:
  std::array<PyObject*, N> names_;
};

// The values of a call by the position of their names; null for one that was not given. Borrowed from the caller.
template <size_t N>
using KeywordValues = std::array<PyObject*, N>;

// Sorts the arguments of a vectorcall of `method(self, *, ...)` into `values`. False for anything that such a method
// refuses, and then the method itself says what is wrong.
template <size_t N>
bool parse_keywords(const InternedNames<N>& names, PyObject* const* args, size_t nargsf, PyObject* keywords,
                    KeywordValues<N>& values) {
  if (PyVectorcall_NARGS(nargsf) != 1) return false;
  values.fill(nullptr);
  const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  size_t hint = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const size_t found = names.find(PyTuple_GET_ITEM(keywords, i), hint);
    if (found == N || values[found] != nullptr) return false;
    values[found] = args[1 + i];
    hint = found + 1;
  }
  return true;
}

}  // namespace memspan::python
