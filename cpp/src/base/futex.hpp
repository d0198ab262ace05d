// Sleeping until a number changes, as std::atomic's wait does, but at once: libstdc++'s gives its core up a few times first
// (sched_yield), and beside busy threads a thread gets that back only after milliseconds, though what it waits for comes
// in microseconds. Whoever spins does so before.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace memspan::futex {

// Returns at once if the number is another one, when it is woken, and now and then without a reason.
inline void wait(const std::atomic<uint32_t>& number, uint32_t value) {
#if defined(__linux__)
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
  syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
#else
  number.wait(value);
#endif
}

// A call of the system: only for somebody who may sleep.
inline void wake_all(std::atomic<uint32_t>& number) {
#if defined(__linux__)
  constexpr int kAll = 0x7fffffff;
  syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, kAll, nullptr, nullptr, 0);
#else
  number.notify_all();
#endif
}

}  // namespace memspan::futex
