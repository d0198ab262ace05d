// A shared mutex whose writers are not kept out by readers that come without a pause, as those of std::shared_mutex may
// be (glibc prefers readers: a write waited for as long as a few threads searched).
//
// A waiting writer keeps the gate, so that later readers queue behind it and it only waits for those who are in. A
// thread that holds the lock for reading must not ask for it again.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace memspan {

class FairSharedMutex {
 public:
  void lock() {
    const std::lock_guard gate(gate_);
    inside_.lock();
  }
  void unlock() { inside_.unlock(); }

  void lock_shared() {
    const std::lock_guard gate(gate_);
    inside_.lock_shared();
  }
  void unlock_shared() { inside_.unlock_shared(); }

 private:
  std::mutex gate_;
  std::shared_mutex inside_;
};

}  // namespace memspan
