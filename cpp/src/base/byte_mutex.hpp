// A mutex of one byte, for what each user has and hardly anybody waits for: a std::mutex takes forty.
//
// Not fair; who waits sleeps. Thread safety: as a mutex.
#pragma once

#include <atomic>

namespace memspan {

class ByteMutex {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) held_.wait(true, std::memory_order_relaxed);
  }
  void unlock() {
    held_.store(false, std::memory_order_release);
    held_.notify_one();
  }

 private:
  std::atomic<bool> held_ = false;
};

}  // namespace memspan
