#include "json_text.hpp"

#include <charconv>
#include <cmath>
#include <memory>

#include "fast_values.hpp"
#include "memspan/types.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

bool write_value(PyObject* value, size_t levels, std::string& out);

void write_escape(char character, std::string& out) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  out += '\\';
  if (const size_t found = kEscaped.find(character); found != std::string_view::npos) {
    out += kLetters[found];
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "u00";
  out += kDigits[static_cast<unsigned char>(character) >> 4];
  out += kDigits[static_cast<unsigned char>(character) & 15];
}

bool write_text(PyObject* value, std::string& out) {
  std::string_view text;
  if (!view_text(value, text)) return false;
  out += '"';
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == '"' || character == '\\') {
      write_escape(character, out);
    } else {
      out += character;
    }
  }
  out += '"';
  return true;
}

template <typename Integer>
void write_number(Integer number, std::string& out) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

// Of at most 64 bits, signed or unsigned.
bool write_integer(PyObject* value, std::string& out) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow < 0) return false;
  if (overflow == 0) {
    write_number(number, out);
    return true;
  }
  const unsigned long long large = PyLong_AsUnsignedLongLong(value);
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  write_number(large, out);
  return true;
}

// As Python's repr: the shortest text that reads back as the same number.
bool write_float(double number, std::string& out) {
  if (!std::isfinite(number)) return false;
  const std::unique_ptr<char, void (*)(void*)> text(PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr),
                                                    PyMem_Free);
  if (!text) {
    PyErr_Clear();
    return false;
  }
  out += text.get();
  return true;
}

bool write_list(const Items& items, size_t levels, std::string& out) {
  out += '[';
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += ',';
    if (!write_value(items[i], levels, out)) return false;
  }
  out += ']';
  return true;
}

bool write_dict(PyObject* dict, size_t levels, std::string& out) {
#ifdef Py_GIL_DISABLED  // another thread may change the dict: copy it under its lock
  const auto copy = py::reinterpret_steal<py::object>(PyDict_Copy(dict));
  if (!copy) {
    PyErr_Clear();
    return false;
  }
  dict = copy.ptr();
#endif
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  out += '{';
  for (bool first = true; PyDict_Next(dict, &position, &key, &value); first = false) {
    if (!first) out += ',';
    if (!write_text(key, out)) return false;
    out += ':';
    if (!write_value(value, levels, out)) return false;
  }
  out += '}';
  return true;
}

bool write_value(PyObject* value, size_t levels, std::string& out) {
  if (levels == 0) return false;
  if (PyUnicode_CheckExact(value)) return write_text(value, out);
  if (PyLong_CheckExact(value)) return write_integer(value, out);
  if (PyFloat_CheckExact(value)) return write_float(PyFloat_AS_DOUBLE(value), out);
  if (value == Py_None || PyBool_Check(value)) {
    out += value == Py_None ? "null" : value == Py_True ? "true" : "false";
    return true;
  }
  if (PyDict_CheckExact(value)) return write_dict(value, levels - 1, out);
  const Items items(value);
  return items && write_list(items, levels - 1, out);
}

}  // namespace

bool read_json(PyObject* value, std::string& out) {
  out.clear();
  if (is_absent(value)) return true;
  if (!PyDict_CheckExact(value)) return false;
  return PyDict_GET_SIZE(value) == 0 || write_value(value, limits::kWhereDepth, out);
}

bool read_json_list(PyObject* value, std::string& out) {
  out.clear();
  const Items items(value);
  return items && write_list(items, limits::kWhereDepth - 1, out);
}

}  // namespace memspan::python
