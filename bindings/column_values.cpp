// Columns of the common exact types, checked and copied entry by entry in native code. Each function gives None for
// anything uncommon; the Python function that called it then converts or refuses, entry by entry.
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "choices.hpp"
#include "fast_values.hpp"
#include "json_text.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

// The entries of an exact tuple or list as a new list, which no other thread can change; otherwise empty.
py::object copied(PyObject* values) {
  if (!PyTuple_CheckExact(values) && !PyList_CheckExact(values)) return {};
  auto copy = py::reinterpret_steal<py::object>(PySequence_List(values));
  if (!copy) throw py::error_already_set();
  return copy;
}

bool all_texts(const py::object& list) {
  std::string_view text;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i) {
    if (!view_text(PyList_GET_ITEM(list.ptr(), i), text)) return false;
  }
  return true;
}

py::object copy_texts(const py::object& values) {
  py::object texts = copied(values.ptr());
  return texts && all_texts(texts) ? texts : py::none();
}

// Empty text counts as None.
py::object copy_optional_texts(const py::object& values) {
  py::object texts = copied(values.ptr());
  if (!texts) return py::none();
  std::string_view text;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts.ptr()); ++i) {
    PyObject* const item = PyList_GET_ITEM(texts.ptr(), i);
    if (item == Py_None) continue;
    if (!view_text(item, text)) return py::none();
    if (text.empty()) PyList_SetItem(texts.ptr(), i, Py_NewRef(Py_None));
  }
  return texts;
}

// All texts one after the other, and where each record's end. A list for each record would be one more object that
// Python's garbage collector goes through again and again.
py::object copy_text_lists(const py::object& values) {
  const py::object lists = copied(values.ptr());
  if (!lists) return py::none();
  const Py_ssize_t count = PyList_GET_SIZE(lists.ptr());
  py::list texts;
  MicrosArray ends(count);
  int64_t* const out = ends.mutable_data();
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Items items(PyList_GET_ITEM(lists.ptr(), i));
    if (!items) return py::none();
    std::string_view text;
    for (size_t t = 0; t < items.size(); ++t) {
      if (!view_text(items[t], text)) return py::none();
      texts.append(py::handle(items[t]));
    }
    out[i] = PyList_GET_SIZE(texts.ptr());
  }
  return py::make_tuple(texts, ends);
}

// int64 microseconds; `absent`, if there is one, stands for None.
py::object copy_times(const py::object& values, const std::optional<Micros>& absent) {
  const py::object list = copied(values.ptr());
  if (!list) return py::none();
  const Py_ssize_t count = PyList_GET_SIZE(list.ptr());
  MicrosArray times(count);
  Micros* const out = times.mutable_data();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PyList_GET_ITEM(list.ptr(), i);
    if (item == Py_None && absent) {
      out[i] = *absent;
    } else if (!read_micros(item, out[i])) {
      return py::none();
    }
  }
  return times;
}

// uint8 values of memspan::Kind.
py::object copy_kinds(const py::object& values) {
  const py::object list = copied(values.ptr());
  if (!list) return py::none();
  const Py_ssize_t count = PyList_GET_SIZE(list.ptr());
  KindArray kinds(count);
  uint8_t* const out = kinds.mutable_data();
  for (Py_ssize_t i = 0; i < count; ++i) {
    Kind kind;
    if (!read_choice(PyList_GET_ITEM(list.ptr(), i), choice_names().kinds, kind)) return py::none();
    out[i] = static_cast<uint8_t>(kind);
  }
  return kinds;
}

// float32 numbers of 0-1; -1 for None.
py::object copy_importances(const py::object& values) {
  const py::object list = copied(values.ptr());
  if (!list) return py::none();
  const Py_ssize_t count = PyList_GET_SIZE(list.ptr());
  FloatArray importances(count);
  float* const out = importances.mutable_data();
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!read_importance(PyList_GET_ITEM(list.ptr(), i), out[i])) return py::none();
  }
  return importances;
}

// uint8 0 or 1.
py::object copy_flags(const py::object& values) {
  const py::object list = copied(values.ptr());
  if (!list) return py::none();
  const Py_ssize_t count = PyList_GET_SIZE(list.ptr());
  KindArray flags(count);
  uint8_t* const out = flags.mutable_data();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PyList_GET_ITEM(list.ptr(), i);
    if (!PyBool_Check(item)) return py::none();
    out[i] = item == Py_True;
  }
  return flags;
}

// Arrays of shape (dim,), C-contiguous and of native float32, one for each record: the core reads them where they are.
py::object copy_rows(const py::object& values, size_t dim) {
  py::object rows = copied(values.ptr());
  if (!rows) return py::none();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows.ptr()); ++i) {
    const py::handle row = PyList_GET_ITEM(rows.ptr(), i);
    if (!FloatArray::check_(row)) return py::none();
    const auto* array = py::detail::array_proxy(row.ptr());
    if (array->nd != 1 || static_cast<size_t>(array->dimensions[0]) != dim) return py::none();
  }
  return rows;
}

// The JSON text of each dict, empty for None and for an empty one.
py::object copy_json_texts(const py::object& values) {
  const py::object texts = copied(values.ptr());
  if (!texts) return py::none();
  std::string text;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(texts.ptr()); ++i) {
    if (!read_json(PyList_GET_ITEM(texts.ptr(), i), text)) return py::none();
    PyList_SetItem(texts.ptr(), i, py::str(text).release().ptr());
  }
  return texts;
}

}  // namespace

void register_column_values(py::module_& module) {
  module.def("copy_texts", &copy_texts);
  module.def("copy_optional_texts", &copy_optional_texts);
  module.def("copy_text_lists", &copy_text_lists);
  module.def("copy_json_texts", &copy_json_texts);
  module.def("copy_rows", &copy_rows);
  module.def("copy_times", &copy_times);
  module.def("copy_kinds", &copy_kinds);
  module.def("copy_importances", &copy_importances);
  module.def("copy_flags", &copy_flags);
}

}  // namespace memspan::python
