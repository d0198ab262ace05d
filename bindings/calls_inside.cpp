#include "calls_inside.hpp"

#include <Python.h>

#include <chrono>
#include <thread>

#include "index/auto_consolidation.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace memspan::python {

void CallsInside::wait_until_none() const {
  constexpr std::chrono::seconds kLongest{30};
  constexpr std::chrono::microseconds kBetweenLooks{50};
  if (PyGILState_Check() == 0) return;  // others would go in for ever
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (count_.load(std::memory_order_acquire) != 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void wait_for_calls_at_forks() {
#if defined(__unix__) || defined(__APPLE__)
  // Handlers run in the reverse order of their registration, and a call may need what the core's handlers lock.
  AutoConsolidation::take_part_in_forks();
  pthread_atfork([] { calls_inside().wait_until_none(); }, nullptr, [] { calls_inside().forget_all(); });
#endif
}

}  // namespace memspan::python
