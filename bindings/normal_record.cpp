// memspan.Record in its common form, checked and copied natively on its way into the store.
//
// Each function gives None for anything uncommon: other types, what has to be converted, what is refused. The Python
// function beside its caller then does the same, and says what is wrong (remember/checking.py).
#include <pybind11/numpy.h>

#include <datetime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "choices.hpp"
#include "fast_values.hpp"
#include "lexical/tag_name.hpp"
#include "record_slots.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

// A new record past the dataclass's __init__ and its guard against changes, which take most of a plain copy's time.
// Its fields hold plain values alone, so that it is part of no cycle: the garbage collector need not know of it, as of a
// tuple of such values. Telling it of 10,000 records brought full collections that took a fifth of a bulk load's time.
py::object make_record(PyTypeObject* type, const SlotLayout& layout, const Fields& fields) {
  auto record = py::reinterpret_steal<py::object>(type->tp_alloc(type, 0));
  if (!record) throw py::error_already_set();
  PyObject_GC_UnTrack(record.ptr());
  for (size_t i = 0; i < fields.size(); ++i) {
    Py_INCREF(fields[i]);
    layout.slot(record.ptr(), i) = fields[i];
  }
  return record;
}

bool is_name(PyObject* value, size_t limit) {
  std::string_view text;
  return view_text(value, text) && !text.empty() && text.size() <= limit;
}

bool is_optional_name(PyObject* value, size_t limit) { return value == Py_None || is_name(value, limit); }

bool is_blank(PyObject* text) {
  for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); ++i) {
    if (!Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, i))) return false;
  }
  return true;
}

bool is_share(PyObject* value, bool above_zero) {
  if (!PyFloat_CheckExact(value)) return false;
  const double number = PyFloat_AS_DOUBLE(value);
  return number <= 1.0 && (above_zero ? number > 0.0 : number >= 0.0);
}

bool is_normal_tag(std::string_view tag) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return std::all_of(tag.begin(), tag.end(), plain) || normalize_tag(tag) == tag;
}

// A tuple of distinct names; `is_good` says more about each. Long ones are uncommon.
template <typename IsGood>
bool are_names(PyObject* value, size_t limit, IsGood is_good) {
  constexpr Py_ssize_t kFew = 16;
  if (!PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) > kFew) return false;
  std::array<std::string_view, kFew> names;
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(value));
  for (size_t i = 0; i < count; ++i) {
    if (!view_text(PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(i)), names[i])) return false;
    if (names[i].empty() || names[i].size() > limit || !is_good(names[i])) return false;
    if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i) return false;
  }
  return true;
}

// A few texts, numbers, booleans and nulls by name; none of the name that holds captions.
bool is_flat_metadata(PyObject* value) {
  constexpr Py_ssize_t kFew = 64;
  constexpr size_t kShort = 1024;
  if (!PyDict_CheckExact(value) || PyDict_GET_SIZE(value) > kFew) return false;
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  int64_t number = 0;
  std::string_view text;
  while (PyDict_Next(value, &position, &key, &item)) {
    if (!view_text(key, text) || text.size() > kShort || text == "images") return false;
    if (item == Py_None || PyBool_Check(item) || read_integer(item, INT64_MIN, INT64_MAX, number)) continue;
    if (PyFloat_CheckExact(item) ? !std::isfinite(PyFloat_AS_DOUBLE(item))
                                 : !view_text(item, text) || text.size() > kShort) {
      return false;
    }
  }
  return true;
}

// A read-only copy of a float32 array of shape (dim,) with finite values, not all zero; otherwise empty. Its memory is that
// of a bytearray, as SQLite is given it (record_rows.cpp), so that it is not copied again.
py::object copied_vector(PyObject* value, Py_ssize_t dim) {
  if (!py::isinstance<FloatArray>(value)) return {};
  const auto array = py::reinterpret_borrow<FloatArray>(value);
  if (array.ndim() != 1 || array.shape(0) != dim) return {};
  const float* const values = array.data();
  std::array<double, 8> squares = {};
  for (Py_ssize_t i = 0; i < dim; ++i) {
    const auto number = static_cast<double>(values[i]);
    squares[static_cast<size_t>(i) % squares.size()] += number * number;
  }
  double sum = 0.0;
  for (const double square : squares) sum += square;
  if (!(sum > 0.0) || !std::isfinite(sum)) return {};
  const auto memory = py::reinterpret_steal<py::object>(PyByteArray_FromStringAndSize(
      reinterpret_cast<const char*>(values), dim * static_cast<Py_ssize_t>(sizeof(float))));
  if (!memory) throw py::error_already_set();
  FloatArray copy(dim, reinterpret_cast<const float*>(PyByteArray_AS_STRING(memory.ptr())), memory);
  py::detail::array_proxy(copy.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return copy;
}

// A copy of a record that is in normal form already, metadata and embedding copied; otherwise None.
py::object normal_record(const py::object& record, const py::type& type, Py_ssize_t dim) {
  // The longest date and the separators of the text that the words come from.
  constexpr size_t kAroundText = 64;
  constexpr size_t kProvenanceBytes = 4096;
  auto* const record_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (Py_TYPE(record.ptr()) != record_type) return py::none();
  const SlotLayout* const layout = SlotLayout::of(record_type);
  Fields fields;
  if (layout == nullptr || !layout->read(record.ptr(), fields)) return py::none();
  const auto at = [&fields](Field field) { return fields[field]; };
  std::string_view text;
  Kind kind;
  const auto any = [](std::string_view) { return true; };
  if (!(is_name(at(kId), limits::kNameBytes) && is_name(at(kUser), limits::kNameBytes) && view_text(at(kText), text) &&
        text.size() + kAroundText + limits::kNameBytes <= limits::kTextBytes && !is_blank(at(kText)) &&
        is_utc_moment(at(kAt)) && read_choice(at(kKindField), choice_names().kinds, kind) &&
        (at(kUntil) == Py_None || is_utc_moment(at(kUntil))) &&
        (at(kRecordedAt) == Py_None || is_utc_moment(at(kRecordedAt))) &&
        is_optional_name(at(kSession), limits::kNameBytes) && is_optional_name(at(kSpeaker), limits::kNameBytes) &&
        are_names(at(kTags), limits::kTagBytes, is_normal_tag) && are_names(at(kEntities), limits::kNameBytes, any) &&
        (at(kImportance) == Py_None || is_share(at(kImportance), false)) &&
        is_optional_name(at(kProvenance), kProvenanceBytes) && is_share(at(kFidelity), true) &&
        are_names(at(kSources), limits::kNameBytes, any) && is_flat_metadata(at(kMetadata)) &&
        at(kRetiredAt) == Py_None && at(kExpiresAt) == Py_None && at(kPinned) == Py_False && at(kHeld) == Py_False)) {
    return py::none();
  }
  if (at(kUntil) != Py_None) {
    const int before = PyObject_RichCompareBool(at(kUntil), at(kAt), Py_LT);
    if (before < 0) throw py::error_already_set();
    if (before == 1) return py::none();
  }
  const auto metadata = py::reinterpret_steal<py::object>(PyDict_Copy(at(kMetadata)));
  if (!metadata) throw py::error_already_set();
  fields[kMetadata] = metadata.ptr();
  py::object embedding;
  if (at(kEmbedding) != Py_None) {
    embedding = copied_vector(at(kEmbedding), dim);
    if (!embedding) return py::none();
    fields[kEmbedding] = embedding.ptr();
  }
  return make_record(record_type, *layout, fields);
}

// Sets these two fields of a record that nobody else has: a copy would cost as much as the rest of a record's way.
void complete_record(const py::object& record, const py::object& recorded_at, const py::object& embedding) {
  const SlotLayout* const layout = SlotLayout::of(Py_TYPE(record.ptr()));
  if (layout == nullptr) throw py::type_error("a memspan.Record is needed");
  for (const auto& [field, value] : {std::pair(kRecordedAt, recorded_at), std::pair(kEmbedding, embedding)}) {
    PyObject* const old = std::exchange(layout->slot(record.ptr(), field), py::object(value).release().ptr());
    Py_XDECREF(old);
  }
}

}  // namespace

void register_normal_record(py::module_& module) {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
  choice_names();
  module.def("normal_record", &normal_record);
  module.def("complete_record", &complete_record);
}

}  // namespace memspan::python
