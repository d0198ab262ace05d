#include "errors.hpp"

#include <exception>
#include <string>

#include "memspan/error.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

// A path in a message need not be UTF-8.
py::object as_text(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

py::object as_path(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

void raise(const char* name, const char* message) {
  PyErr_SetObject(py::module_::import("memspan.errors").attr(name).ptr(), as_text(message).ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InvalidEmbedding& error) {
    raise("EmbeddingError", error.what());
  } catch (const InvalidTime& error) {
    raise("TimeError", error.what());
  } catch (const InvalidWhere& error) {
    raise("WhereError", error.what());
  } catch (const InvalidArgument& error) {
    raise("InvalidArgumentError", error.what());
  } catch (const TagCycle& error) {
    raise("TagCycleError", error.what());
  } catch (const QuotaExceeded& error) {
    raise("QuotaError", error.what());
  } catch (const OtherVersion& error) {
    raise("SnapshotVersionError", error.what());
  } catch (const CorruptSnapshot& error) {
    raise("CorruptSnapshotError", error.what());
  } catch (const FileError& error) {
    // Called with errno and file name, OSError turns itself into FileNotFoundError, PermissionError and so on. It tells the
    // file by itself.
    std::string reason = error.what();
    if (const std::string told = error.file + ": "; reason.starts_with(told)) reason.erase(0, told.size());
    PyErr_SetObject(PyExc_OSError, py::make_tuple(error.code, as_text(reason), as_path(error.file)).ptr());
  } catch (const Error& error) {
    raise("MemspanError", error.what());
  }
}

}  // namespace

void register_errors() { py::register_local_exception_translator(translate); }

void set_python_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (...) {
    py::detail::try_translate_exceptions();  // as pybind11 does for the functions that it calls
  }
}

}  // namespace memspan::python
