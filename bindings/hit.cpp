#include <functional>
#include <string>

#include "hits.hpp"
#include "id_texts.hpp"
#include "raw_type.hpp"
#include "times.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

PyTypeObject* hit_type = nullptr;  // set once

const HitObject& self_of(PyObject* object) { return *reinterpret_cast<HitObject*>(object); }

py::dict views_of(const Hit& hit) {
  py::dict views;
  for (size_t v = 0; v < kViewCount; ++v) {
    if (hit.views[v].rank == 0) continue;
    views[py::str(kViewNames[v].data(), kViewNames[v].size())] = py::make_tuple(hit.views[v].rank, hit.views[v].score);
  }
  return views;
}

template <auto Field>
PyObject* get(PyObject* self, void*) {
  return guarded([self] { return Field(self_of(self)); });
}

py::object id(const HitObject& self) { return text_of_id(self.hit().id); }
py::object score(const HitObject& self) { return py::float_(self.hit().score); }
py::object at(const HitObject& self) { return to_datetime(self.hit().at); }
py::object views(const HitObject& self) { return views_of(self.hit()); }

PyObject* represent(PyObject* self) {
  return guarded([self] {
    const Hit& hit = self_of(self).hit();
    return py::str("Hit(id={!r}, score={:.4f}, at={!r})")
        .format(text_of_id(hit.id), hit.score, to_datetime(hit.at).attr("isoformat")());
  });
}

Py_hash_t hash(PyObject* self) {
  const auto value = static_cast<Py_hash_t>(std::hash<std::string>()(self_of(self).hit().id));
  return value == -1 ? -2 : value;  // -1 means an error
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  const HitObject* second = hit_of(other);
  if (second == nullptr || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong(same_hit(self_of(self).hit(), second->hit()) == (operation == Py_EQ));
}

void deallocate(PyObject* self) {
  Py_DECREF(reinterpret_cast<HitObject*>(self)->hits);
  destroy(self, reinterpret_cast<HitObject*>(self)->position);
}

}  // namespace

py::object new_hit(HitsObject* hits, size_t position) {
  HitObject* made = PyObject_New(HitObject, hit_type);
  if (made == nullptr) throw py::error_already_set();
  Py_INCREF(hits);
  made->hits = hits;
  made->position = position;
  return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(made));
}

const HitObject* hit_of(PyObject* object) {
  return Py_TYPE(object) == hit_type ? reinterpret_cast<HitObject*>(object) : nullptr;
}

bool same_hit(const Hit& a, const Hit& b) { return a.id == b.id && a.score == b.score && a.at == b.at; }

void register_hit(py::module_& module) {
  static PyGetSetDef attributes[] = {
      {"id", get<id>, nullptr, "Id of the record.", nullptr},
      {"score", get<score>, nullptr, "The fused score.", nullptr},
      {"at", get<at>, nullptr, "When it happened; aware, UTC.", nullptr},
      {"views", get<views>, nullptr, "View name -> (rank from 1, score), for the views that found the record.",
       nullptr},
      {"explanation", get<explain_hit>, nullptr, "Why it is here; only with `explain=True`.", nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static char doc[] = "One record that a search found. Immutable; equal to one that says the same.";
  static PyType_Slot slots[] = {{Py_tp_doc, doc},
                                {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                {Py_tp_hash, reinterpret_cast<void*>(hash)},
                                {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                                {Py_tp_getset, attributes},
                                {0, nullptr}};
  hit_type = add_type(module, "memspan._core.Hit", sizeof(HitObject), slots);
}

}  // namespace memspan::python
