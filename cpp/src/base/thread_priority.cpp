#include "base/thread_priority.hpp"

#if defined(__linux__)
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace memspan {

void lower_priority() {
#if defined(__linux__)
  // A thread starts with the scheduling of the one that starts it, and where that is real-time a nice value means nothing.
  if (const int policy = sched_getscheduler(0); policy == SCHED_FIFO || policy == SCHED_RR) {
    const sched_param ordinary = {};
    sched_setscheduler(0, SCHED_OTHER, &ordinary);  // of this thread alone, as Linux takes it
  }
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);  // of this thread alone
#endif
}

void run_in_spare_time() {
#if defined(__linux__)
  const sched_param none = {};
  sched_setscheduler(0, SCHED_IDLE, &none);  // of this thread alone
#endif
}

}  // namespace memspan
