// Whether threads of Python search beside one another.
#pragma once

#include <Python.h>

#include <cstdint>

namespace memspan::python {

// Such threads give the GIL up during each search, to run on two cores. One that searches alone keeps it for short
// searches: whoever gives it up beside a thread that computes waits for it for up to 5 ms. Guarded by the GIL.
class SearchingThreads {
 public:
  // Counts a search of the calling thread. True: another one was among the last kLately.
  bool several() {
    const PyThreadState* const now = PyThreadState_Get();
    if (now != last_) {
      left_ = last_ == nullptr ? 0 : kLately;
      last_ = now;
    }
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  // Some milliseconds of searches.
  static constexpr uint32_t kLately = 1024;

  const PyThreadState* last_ = nullptr;
  uint32_t left_ = 0;
};

}  // namespace memspan::python
