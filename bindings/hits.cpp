#include "hits.hpp"
#include "id_texts.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "raw_type.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

PyTypeObject* hits_type = nullptr;  // set once

HitsObject* self_of(PyObject* object) { return reinterpret_cast<HitsObject*>(object); }

Py_ssize_t size_of(PyObject* self) { return static_cast<Py_ssize_t>(self_of(self)->result.hits.size()); }

// `position` counts from the start; the interpreter has added the length to a negative one.
PyObject* item(PyObject* self, Py_ssize_t position) {
  return guarded([=] {
    const Py_ssize_t size = size_of(self);
    if (position < 0 || position >= size) {
      throw py::index_error("hit " + std::to_string(position) + " of " + std::to_string(size));
    }
    return new_hit(self_of(self), static_cast<size_t>(position));
  });
}

py::list slice_of(PyObject* self, PyObject* slice) {
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw py::error_already_set();
  const Py_ssize_t length = PySlice_AdjustIndices(size_of(self), &start, &stop, step);
  py::list hits(length);
  for (Py_ssize_t i = 0; i < length; ++i) {
    PyList_SET_ITEM(hits.ptr(), i, new_hit(self_of(self), static_cast<size_t>(start + i * step)).release().ptr());
  }
  return hits;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  if (PySlice_Check(key)) return guarded([=] { return slice_of(self, key); });
  if (!PyIndex_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "hits are taken by integer or slice, not by %.200s", Py_TYPE(key)->tp_name);
  }
  const Py_ssize_t position = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (position == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return item(self, position < 0 ? position + size_of(self) : position);
}

PyObject* iterate(PyObject* self) {
  return guarded([self] {
    const auto all = py::reinterpret_steal<py::object>(PySlice_New(nullptr, nullptr, nullptr));
    return py::iter(slice_of(self, all.ptr()));
  });
}

const Hit& wanted_hit(PyObject* object) {
  const HitObject* hit = hit_of(object);
  if (hit == nullptr) throw py::type_error(std::string("a Hit is wanted, not ") + Py_TYPE(object)->tp_name);
  return hit->hit();
}

PyObject* count(PyObject* self, PyObject* wanted) {
  return guarded([=] {
    const std::vector<Hit>& hits = self_of(self)->result.hits;
    const Hit& hit = wanted_hit(wanted);
    return py::int_(std::count_if(hits.begin(), hits.end(), [&](const Hit& each) { return same_hit(each, hit); }));
  });
}

PyObject* index(PyObject* self, PyObject* wanted) {
  return guarded([=] {
    const std::vector<Hit>& hits = self_of(self)->result.hits;
    const Hit& hit = wanted_hit(wanted);
    const auto found = std::find_if(hits.begin(), hits.end(), [&](const Hit& each) { return same_hit(each, hit); });
    if (found == hits.end()) throw py::value_error("no such hit");
    return py::int_(found - hits.begin());
  });
}

PyObject* ids(PyObject* self, void*) {
  return guarded([self] {
    py::list ids(size_of(self));
    size_t i = 0;
    for (const Hit& hit : self_of(self)->result.hits) {
      PyList_SET_ITEM(ids.ptr(), static_cast<Py_ssize_t>(i), text_of_listed_id(hit.id, i).release().ptr());
      ++i;
    }
    return ids;
  });
}

template <auto Field>
PyObject* column(PyObject* self, void*) {
  return guarded([self] {
    using Value = std::remove_cvref_t<decltype(std::declval<const Hit&>().*Field)>;
    py::array_t<Value> values(size_of(self));
    Value* out = values.mutable_data();
    for (const Hit& hit : self_of(self)->result.hits) *out++ = hit.*Field;
    return values;
  });
}

PyObject* features(PyObject* self, void*) {
  return guarded([self]() -> py::object {
    if (!self_of(self)->result.features) return py::none();
    const std::vector<FeatureRow>& rows = *self_of(self)->result.features;
    py::array_t<float> values({rows.size(), kRankFeatures});
    if (!rows.empty()) std::copy_n(rows.front().data(), rows.size() * kRankFeatures, values.mutable_data());
    return values;
  });
}

PyObject* explanation(PyObject* self, void*) {
  return guarded([self] { return explain_search(self_of(self)->result); });
}

PyObject* represent(PyObject* self) { return PyUnicode_FromFormat("Hits(%zd)", size_of(self)); }

// The memory of an answer that was let go, for the thread's next one: most callers drop one answer before they ask for
// another, and making and freeing the hits would take as long as filling them.
std::vector<Hit>& spare_hits() {
  thread_local std::vector<Hit> spare;
  return spare;
}

void deallocate(PyObject* self) {
  constexpr size_t kKept = 64;
  std::vector<Hit>& hits = self_of(self)->result.hits;
  if (hits.capacity() <= kKept) hits.swap(spare_hits());
  destroy(self, self_of(self)->result);
}

}  // namespace

HitsObject* new_hits() {
  HitsObject* made = PyObject_New(HitsObject, hits_type);
  if (made == nullptr) return nullptr;
  new (&made->result) SearchResult();
  made->result.hits.swap(spare_hits());
  return made;
}

void register_hits(py::module_& module) {
  register_hit(module);
  static PyGetSetDef attributes[] = {
      {"ids", ids, nullptr, "The records' ids.", nullptr},
      {"scores", column<&Hit::score>, nullptr, "Shape (n,): the fused scores.", nullptr},
      {"ats", column<&Hit::at>, nullptr, "Shape (n,): the records' times in UTC microseconds.", nullptr},
      {"features", features, nullptr,
       "Shape (n, features): what a learned ranking sees in the hits, NaN of those that only fill up to k; with "
       "`features=True`, else None.",
       nullptr},
      {"explanation", explanation, nullptr,
       "What the filters refused and how the search ran; only with `explain=True`.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {
      {"index", index, METH_O, "Position of the first hit that is equal. Raises ValueError where there is none. O(n)."},
      {"count", count, METH_O, "How many hits are equal. O(n)."},
      {nullptr, nullptr, 0, nullptr}};
  static char doc[] =
      "The answer of a search, best first: a sequence of `Hit`, made when they are looked at. Immutable. Its columns "
      "are read without making a Hit for each.";
  static PyType_Slot slots[] = {{Py_tp_doc, doc},
                                {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                {Py_tp_iter, reinterpret_cast<void*>(iterate)},
                                {Py_sq_length, reinterpret_cast<void*>(size_of)},
                                {Py_sq_item, reinterpret_cast<void*>(item)},
                                {Py_mp_length, reinterpret_cast<void*>(size_of)},
                                {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                                {Py_tp_getset, attributes},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  hits_type = add_type(module, "memspan._core.Hits", sizeof(HitsObject), slots);
}

}  // namespace memspan::python
