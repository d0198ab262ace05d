// A way to end a long computation of another thread early.
//
// Thread safety: `stop` may be set from any thread; the rest is of one thread alone.
#pragma once

#include <atomic>
#include <exception>

namespace memspan {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

namespace detail {
inline thread_local const std::atomic<bool>* interrupting = nullptr;
}

// While it lives, check_interruption() throws in this thread once `stop` is set. Not to be nested.
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>& stop) { detail::interrupting = &stop; }
  ~Interruptible() { detail::interrupting = nullptr; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

// For loops that take milliseconds and hold no lock. Throws Interrupted; costs two loads.
inline void check_interruption() {
  const std::atomic<bool>* const stop = detail::interrupting;
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Interrupted();
}

// Does this thread work where nobody waits for it? Then it should leave the other cores alone.
inline bool in_background() { return detail::interrupting != nullptr; }

// What may interrupt this thread, for threads that work for it while it waits.
using Interruption = const std::atomic<bool>*;
inline Interruption interruption_of_thread() { return detail::interrupting; }
inline void share_interruption(Interruption interruption) { detail::interrupting = interruption; }

}  // namespace memspan
