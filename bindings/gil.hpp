// The GIL, given up for a while.
#pragma once

#include <pybind11/pybind11.h>

#include "gil_queue.hpp"

namespace memspan::python {

// pybind11::gil_scoped_release without its bookkeeping, for calls that take some microseconds.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) { gil_queue().left(); }
  ~ReleasedGil() {
    gil_queue().enter([this] { PyEval_RestoreThread(state_); });
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace memspan::python
