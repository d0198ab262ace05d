#include "base/fair_shared_mutex.hpp"

#include <algorithm>
#include <thread>

namespace memspan {

void FairSharedMutex::wait_for_door(uint32_t door) {
  for (;;) {
    const uint32_t now = entered_.load(std::memory_order_acquire);
    // Another colour: the writer has left, and the next one counts this reader among those it waits for.
    if ((now & kDoor) != door) return;
    entered_.wait(now, std::memory_order_acquire);
  }
}

void FairSharedMutex::give_grace() const {
  // Sleeping takes about this much longer than asked for.
  constexpr std::chrono::microseconds kSleepError{60};
  for (;;) {
    const auto left = grace_ends_ - Clock::now();
    if (left <= Clock::duration::zero()) return;
    if (left > kSleepError) {
      std::this_thread::sleep_for(left - kSleepError);
    } else {
      std::this_thread::yield();
    }
  }
}

void FairSharedMutex::lock() {
  writers_.lock();
  const bool readers_are_about = (entered_.load(std::memory_order_relaxed) & ~kDoor) != entered_before_;
  if (readers_are_about) give_grace();
  colour_ ^= kColour;
  const uint32_t entered = entered_.fetch_add(kClosed | colour_, std::memory_order_seq_cst);
  for (;;) {
    const uint32_t left = left_.load(std::memory_order_seq_cst);
    if (left == entered) break;
    left_.wait(left, std::memory_order_seq_cst);
  }
  entered_before_ = entered;
  since_ = Clock::now();
}

void FairSharedMutex::unlock() {
  const auto now = Clock::now();
  grace_ends_ = now + std::min<Clock::duration>(kGraceShare * (now - since_), kLongestGrace);
  entered_.fetch_and(~kDoor, std::memory_order_release);
  entered_.notify_all();
  writers_.unlock();
}

}  // namespace memspan
