#include "native_method.hpp"

#include <structmember.h>

#include <cstddef>

namespace memspan::python {
namespace py = pybind11;
namespace {

// Immutable but for its __dict__.
struct NativeMethod {
  PyObject_HEAD
  vectorcallfunc fast;
  PyObject* function;
  PyObject* dict;
  PyObject* weak_references;
};

PyTypeObject* native_method_type = nullptr;  // set once

NativeMethod* self_of(PyObject* object) { return reinterpret_cast<NativeMethod*>(object); }

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  return instance == nullptr || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

PyObject* represent(PyObject* self) { return PyObject_Repr(self_of(self)->function); }

// By name, as a Python function is pickled.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self_of(self)->function, "__qualname__"); }

// Once asked for, as inspect takes long to import. Without it inspect looks past the method that is bound, from Python 3.13.1
// on, and shows its first parameter.
PyObject* signature(PyObject* self, void*) {
  PyObject* const inspect = PyImport_ImportModule("inspect");
  if (inspect == nullptr) return nullptr;
  PyObject* const found = PyObject_CallMethod(inspect, "signature", "O", self_of(self)->function);
  Py_DECREF(inspect);
  return found;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self_of(self)->function);
  Py_VISIT(self_of(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(self_of(self)->function);
  Py_CLEAR(self_of(self)->dict);
  return 0;
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (self_of(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace

PyObject* slow_path(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return PyObject_Vectorcall(self_of(method)->function, args, nargsf, keywords);
}

py::object make_native_method(const py::object& function, vectorcallfunc fast) {
  auto made = py::reinterpret_steal<py::object>(native_method_type->tp_alloc(native_method_type, 0));
  if (!made) throw py::error_already_set();
  NativeMethod* self = self_of(made.ptr());
  self->fast = fast;
  self->function = function.inc_ref().ptr();
  // Name, documentation and __wrapped__, by which inspect, help and functools find the signature.
  py::module_::import("functools").attr("update_wrapper")(made, function);
  return made;
}

void register_native_method() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(NativeMethod, fast), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(NativeMethod, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(NativeMethod, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef attributes[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                     {"__signature__", signature, nullptr, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
                                {Py_tp_repr, reinterpret_cast<void*>(represent)},
                                {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
                                {Py_tp_members, members},
                                {Py_tp_getset, attributes},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  // METHOD_DESCRIPTOR: `index.search(...)` passes the index as the first argument and makes no bound method.
  static PyType_Spec spec = {"memspan._core.NativeMethod", sizeof(NativeMethod), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  native_method_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (native_method_type == nullptr) throw py::error_already_set();
}

}  // namespace memspan::python
