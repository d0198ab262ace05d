// The calls that are inside the core without the GIL. A fork waits for them: a child has only the thread that forked, and
// what another one had locked would stay locked there for ever.
#pragma once

#include <atomic>
#include <cstdint>

namespace memspan::python {

class CallsInside {
 public:
  // With the GIL: the thread that forks has it then, too, and nobody goes in beside it.
  void go_in() { count_.fetch_add(1, std::memory_order_relaxed); }
  // With nothing of the core's locked.
  void come_out() { count_.fetch_sub(1, std::memory_order_release); }

  // Around a fork, by the thread that forks.
  void wait_until_none() const;
  void forget_all() { count_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> count_ = 0;
};

inline CallsInside& calls_inside() {
  static constinit CallsInside calls;
  return calls;
}

// To be called once, before there is an index.
void wait_for_calls_at_forks();

}  // namespace memspan::python
