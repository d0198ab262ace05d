#include "base/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace memspan {
namespace {

std::atomic<uint64_t> count = 0;

}  // namespace

uint64_t forks() {
  // On all sides: what another thread makes before the fork itself is shared, too, where nobody waits for that thread.
  constexpr auto grow = [] { count.fetch_add(1, std::memory_order_relaxed); };
  static const int registered = pthread_atfork(grow, grow, grow);
  (void)registered;
  return count.load(std::memory_order_relaxed);
}

}  // namespace memspan
