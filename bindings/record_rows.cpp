// memspan.Record as the parameters of an INSERT (store/codec.py has the same in Python, for what is uncommon).
//
// sqlite3 asks its table of adapters about every parameter that is not an exact int, float, str or bytearray, None
// included, which takes as long as writing the row. Absent values are therefore passed as values that no record has,
// which the statement turns into NULL, and vectors as bytearrays.
#include <pybind11/pybind11.h>

#include <datetime.h>

#include <bit>
#include <string>

#include "arrays.hpp"
#include "fast_values.hpp"
#include "json_text.hpp"
#include "record_slots.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

// What stands for an absent value, and what many records have in common.
struct Constants {
  py::str no_text{""};
  py::int_ no_time{INT64_MIN};
  py::float_ no_number{-1.0};
  py::str empty_list{"[]"};
  py::str empty_object{"{}"};

  static const Constants& get() {
    static const Constants* const constants = new Constants;  // never freed: it may be needed while Python ends
    return *constants;
  }
};

py::object or_else(PyObject* value, const py::object& absent) {
  return value == Py_None ? absent : py::reinterpret_borrow<py::object>(value);
}

bool read_moment(PyObject* value, py::object& out) {
  Micros micros = 0;
  if (!is_utc_moment(value) || !read_micros(value, micros)) return false;
  out = py::int_(micros);
  return true;
}

bool read_json_array(PyObject* value, std::string& scratch, py::object& out) {
  if (!PyTuple_CheckExact(value)) return false;
  if (PyTuple_GET_SIZE(value) == 0) {
    out = Constants::get().empty_list;
    return true;
  }
  if (!read_json_list(value, scratch)) return false;
  out = py::str(scratch);
  return true;
}

// Little-endian float32 of an array of that type.
py::object vector_bytes(PyObject* value) {
  if (std::endian::native != std::endian::little || !py::isinstance<FloatArray>(value)) return {};
  const auto array = py::reinterpret_borrow<FloatArray>(value);
  const py::object base = array.base();
  if (base && PyByteArray_CheckExact(base.ptr()) && !array.writeable() &&
      PyByteArray_AS_STRING(base.ptr()) == static_cast<const void*>(array.data()) &&
      PyByteArray_GET_SIZE(base.ptr()) == array.nbytes()) {
    return base;  // a copy that normal_record made
  }
  return py::reinterpret_steal<py::object>(
      PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(array.data()), array.nbytes()));
}

// Empty for anything uncommon.
py::object row_of(PyObject* record, const py::dict& users, const py::int_& key, const py::int_& sequence,
                  std::string& scratch) {
  const SlotLayout* const layout = SlotLayout::of(Py_TYPE(record));
  Fields fields;
  if (layout == nullptr || !layout->read(record, fields)) return {};
  const auto at = [&fields](Field field) { return fields[field]; };
  const auto same = [&fields](Field field) { return py::reinterpret_borrow<py::object>(fields[field]); };
  const Constants& constants = Constants::get();
  py::object moment, until = constants.no_time, recorded_at, tags, entities, sources;
  py::object metadata = constants.empty_object;
  if (!PyUnicode_CheckExact(at(kUser)) || !PyDict_CheckExact(at(kMetadata)) || !read_moment(at(kAt), moment) ||
      !(at(kUntil) == Py_None || read_moment(at(kUntil), until)) || !read_moment(at(kRecordedAt), recorded_at) ||
      !read_json_array(at(kTags), scratch, tags) || !read_json_array(at(kEntities), scratch, entities) ||
      !read_json_array(at(kSources), scratch, sources)) {
    return {};
  }
  if (PyDict_GET_SIZE(at(kMetadata)) != 0) {
    if (!read_json(at(kMetadata), scratch)) return {};
    metadata = py::str(scratch);
  }
  PyObject* const user = PyDict_GetItemWithError(users.ptr(), at(kUser));
  if (user == nullptr) return {};
  const py::object embedding = vector_bytes(at(kEmbedding));
  if (!embedding) {
    PyErr_Clear();
    return {};
  }
  return py::make_tuple(key, py::handle(user), sequence, embedding, same(kId), same(kKindField), moment, until,
                        recorded_at, or_else(at(kSession), constants.no_text),
                        or_else(at(kSpeaker), constants.no_text), or_else(at(kImportance), constants.no_number),
                        or_else(at(kProvenance), constants.no_text), same(kFidelity), tags, entities, sources,
                        metadata, same(kText));
}

// A row for each record, with successive keys; None for what is uncommon.
py::list encode_rows(const py::list& records, const py::dict& users, int64_t first_key, const py::int_& sequence) {
  py::list rows(records.size());
  std::string scratch;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto record = py::reinterpret_borrow<py::object>(PyList_GET_ITEM(records.ptr(), static_cast<Py_ssize_t>(i)));
    py::object row =
        row_of(record.ptr(), users, py::int_(first_key + static_cast<int64_t>(i)), sequence, scratch);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    PyList_SET_ITEM(rows.ptr(), static_cast<Py_ssize_t>(i), (row ? row : py::none()).release().ptr());
  }
  return rows;
}

}  // namespace

void register_record_rows(py::module_& module) {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
  module.def("encode_rows", &encode_rows);
}

}  // namespace memspan::python
