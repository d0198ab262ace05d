#include "base/forks.hpp"

#include <pthread.h>

#include <atomic>

namespace memspan {
namespace {

std::atomic<uint64_t> count = 0;

}  // namespace

uint64_t forks() {
  static const int registered = pthread_atfork([] { count.fetch_add(1, std::memory_order_relaxed); }, nullptr, nullptr);
  (void)registered;
  return count.load(std::memory_order_relaxed);
}

}  // namespace memspan
