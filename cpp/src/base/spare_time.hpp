// Work that takes only what processor time nobody else wants.
#pragma once

#if defined(__linux__)
#include <sched.h>
#endif

namespace memspan {

// From now on this thread runs only where no other thread would (SCHED_IDLE): any thread that wakes takes its core at
// once, so that a search does not stand in a queue behind it. On a busy machine it may stand still for long, so it must
// hold no lock that others take. False: the system cannot, and the thread runs as others do.
inline bool run_in_spare_time() {
#if defined(__linux__)
  const sched_param none = {};
  return sched_setscheduler(0, SCHED_IDLE, &none) == 0;
#else
  return false;
#endif
}

}  // namespace memspan
