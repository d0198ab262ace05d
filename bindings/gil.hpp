// The GIL, given up for a while inside the core.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

#include "calls_inside.hpp"
#include "gil_queue.hpp"

namespace memspan::python {

// pybind11::gil_scoped_release without its bookkeeping, which counts where calls take some microseconds.
//
// A thread that asks for the GIL when the interpreter has ended is unwound by Python until 3.13, through destructors,
// which ends the process. It stays here instead, as it does from 3.14 on; the process ends without it.
class ReleasedGil {
 public:
  ReleasedGil() {
    calls_inside().go_in();
    state_ = PyEval_SaveThread();
    gil_queue().left();
  }
  ~ReleasedGil() {
    calls_inside().come_out();
#if defined(__GLIBCXX__)
    try {
      take();
    } catch (abi::__forced_unwind&) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    take();
#endif
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  void take() {
    gil_queue().enter([this] { PyEval_RestoreThread(state_); });
  }

  PyThreadState* state_;
};

}  // namespace memspan::python
