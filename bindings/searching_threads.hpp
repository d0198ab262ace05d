// Whether threads of Python search beside one another.
#pragma once

#include <Python.h>

#include <chrono>

#include "gil_queue.hpp"

namespace memspan::python {

// Such threads give the GIL up during each search, to run on several cores. One that searches alone keeps it for short
// searches, and so do several beside a thread that computes: whoever gives it up waits for that one for up to 5 ms.
// Guarded by the GIL.
class SearchingThreads {
 public:
  // Counts a search of the calling thread. True: others search too, and give the GIL back soon.
  bool several() {
    const PyThreadState* const now = PyThreadState_Get();
    if (now == last_ && !several_) return false;
    const auto time = GilQueue::Clock::now();
    if (now != last_) changed_ = time;
    last_ = now;
    several_ = time - changed_ < kLately;
    return several_ && !gil_queue().waited_long(time);
  }

 private:
  static constexpr std::chrono::milliseconds kLately{20};  // some of Python's turns

  const PyThreadState* last_ = nullptr;
  GilQueue::Clock::time_point changed_{};
  bool several_ = false;
};

}  // namespace memspan::python
