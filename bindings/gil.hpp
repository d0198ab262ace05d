// The GIL, given up for a while.
#pragma once

#include <pybind11/pybind11.h>

namespace memspan::python {

// pybind11::gil_scoped_release without its bookkeeping, for calls that take less than a microsecond.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() { PyEval_RestoreThread(state_); }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace memspan::python
