#include "fast_values.hpp"

#include <datetime.h>
#include <pybind11/numpy.h>

#include <chrono>
#include <cstring>

#include "iso_time.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

PyTypeObject* array_type = nullptr;  // numpy.ndarray; set once

constexpr int kContiguousAndAligned = 0x0001 | 0x0100;  // NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED

Micros micros_of_datetime(PyObject* value) {
  using namespace std::chrono;
  const sys_days day = year(PyDateTime_GET_YEAR(value)) / PyDateTime_GET_MONTH(value) / PyDateTime_GET_DAY(value);
  const microseconds time = hours(PyDateTime_DATE_GET_HOUR(value)) + minutes(PyDateTime_DATE_GET_MINUTE(value)) +
                            seconds(PyDateTime_DATE_GET_SECOND(value)) +
                            microseconds(PyDateTime_DATE_GET_MICROSECOND(value));
  return (microseconds(day.time_since_epoch()) + time).count();
}

}  // namespace

void prepare_fast_values() {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
  py::object array = py::module_::import("numpy").attr("ndarray");
  array_type = reinterpret_cast<PyTypeObject*>(array.release().ptr());  // never freed, like numpy itself
}

bool read_micros(PyObject* value, Micros& out) {
  if (PyLong_CheckExact(value)) return read_integer(value, kMinTime, kMaxTime, out);
  if (PyUnicode_CheckExact(value)) {
    std::string_view text;
    return view_text(value, text) && read_iso_time(text, out);
  }
  if (!PyDateTime_CheckExact(value)) return false;
  PyObject* const zone = PyDateTime_DATE_GET_TZINFO(value);
  if (zone != Py_None && zone != PyDateTime_TimeZone_UTC) return false;
  out = micros_of_datetime(value);
  return true;
}

bool is_utc_moment(PyObject* value) {
  return PyDateTime_CheckExact(value) && PyDateTime_DATE_GET_TZINFO(value) == PyDateTime_TimeZone_UTC &&
         PyDateTime_DATE_GET_FOLD(value) == 0;
}

bool read_vector(PyObject* value, std::vector<float>& out) {
  if (is_absent(value)) {
    out.clear();
    return true;
  }
  if (Py_TYPE(value) != array_type) return false;
  const auto* array = py::detail::array_proxy(value);
  if (array->nd != 1 || (array->flags & kContiguousAndAligned) != kContiguousAndAligned) return false;
  const auto* type = py::detail::array_descriptor_proxy(array->descr);
  if (type->byteorder != '=' || array->dimensions[0] < 1) return false;
  const auto size = static_cast<size_t>(array->dimensions[0]);
  if (size > limits::kDim) return false;
  if (type->type_num == py::detail::npy_api::NPY_FLOAT_) {
    out.resize(size);
    std::memcpy(out.data(), array->data, size * sizeof(float));
    return true;
  }
  if (type->type_num != py::detail::npy_api::NPY_DOUBLE_) return false;
  out.resize(size);
  const auto* values = reinterpret_cast<const double*>(array->data);
  // What float32 cannot hold becomes infinity, which the core refuses by name.
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<float>(values[i]);
  return true;
}

bool read_texts(PyObject* value, std::vector<std::string>& out) {
  if (value == nullptr) {
    out.clear();
    return true;
  }
  const Items items(value);
  if (!items) return false;
  out.resize(items.size());
  for (size_t i = 0; i < out.size(); ++i) {
    std::string_view text;
    if (!view_text(items[i], text)) return false;
    out[i].assign(text);
  }
  return true;
}

}  // namespace memspan::python
