// Where memspan.Record keeps its fields.
#pragma once

#include <pybind11/pybind11.h>

#include <structmember.h>

#include <array>

namespace memspan::python {
namespace py = pybind11;

inline constexpr std::array<const char*, 21> kFieldNames = {
    "id",       "user", "text",     "at",         "kind",       "until",    "recorded_at", "session",   "speaker",
    "tags",     "entities", "importance", "provenance", "fidelity", "sources", "metadata",  "embedding",
    "retired_at", "expires_at", "pinned", "held"};
enum Field : size_t {
  kId, kUser, kText, kAt, kKindField, kUntil, kRecordedAt, kSession, kSpeaker,
  kTags, kEntities, kImportance, kProvenance, kFidelity, kSources, kMetadata, kEmbedding,
  kRetiredAt, kExpiresAt, kPinned, kHeld
};

// Borrowed from a record, which nobody changes.
using Fields = std::array<PyObject*, kFieldNames.size()>;

// Where a record type keeps its fields. Asking for them by name took half the time of a plain copy.
class SlotLayout {
 public:
  // Of memspan.Record; null for a type that keeps its fields in another way.
  static const SlotLayout* of(PyTypeObject* type) {
    static SlotLayout known;
    if (known.type_ == type) return &known;
    SlotLayout layout;
    if (known.type_ != nullptr || !layout.find(type)) return nullptr;
    known = layout;
    Py_INCREF(type);  // for good: another type must not come to lie there
    return &known;
  }

  // False when a field was never set.
  bool read(PyObject* record, Fields& out) const {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = slot(record, i);
      if (out[i] == nullptr) return false;
    }
    return true;
  }

  PyObject*& slot(PyObject* record, size_t field) const {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(record) + offsets_[field]);
  }

 private:
  bool find(PyTypeObject* type) {
    for (size_t i = 0; i < offsets_.size(); ++i) {
      const auto found = py::reinterpret_steal<py::object>(
          PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), kFieldNames[i]));
      if (!found) {
        PyErr_Clear();
        return false;
      }
      if (!PyObject_TypeCheck(found.ptr(), &PyMemberDescr_Type)) return false;
      const auto* descriptor = reinterpret_cast<PyMemberDescrObject*>(found.ptr());
      if (PyDescr_TYPE(descriptor) != type || descriptor->d_member->type != T_OBJECT_EX) return false;
      offsets_[i] = descriptor->d_member->offset;
    }
    type_ = type;
    return true;
  }

  PyTypeObject* type_ = nullptr;
  std::array<Py_ssize_t, kFieldNames.size()> offsets_ = {};
};

}  // namespace memspan::python
