#include "base/fair_shared_mutex.hpp"

#include <algorithm>
#include <thread>

namespace memspan {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// What falling asleep and being woken takes; most searches and writes are shorter.
constexpr std::chrono::microseconds kWakingTime{30};

template <typename Done>
bool spin_until(std::chrono::microseconds longest, Done done) {
  using Clock = std::chrono::steady_clock;
  constexpr int kTriesBetweenLooks = 64;
  const auto end = Clock::now() + longest;
  do {
    for (int i = 0; i < kTriesBetweenLooks; ++i) {
      if (done()) return true;
      relax();
    }
  } while (Clock::now() < end);
  return false;
}

}  // namespace

void FairSharedMutex::wait_for_door(uint32_t door) {
  // Another colour: the writer has left, and the next one counts this reader among those it waits for.
  const auto passable = [&](uint32_t entered) { return (entered & kDoor) != door; };
  for (int naps = 0; naps < kMostNaps; ++naps) {
    if (spin_until(kWakingTime, [&] { return passable(entered_.load(std::memory_order_acquire)); })) return;
    // A reader that sleeps is not counted, so that writers need not wait for it to wake: they give it a moment. Only
    // behind the door that was closed before it came can it take itself out: a later writer waits for it.
    slept_.store(true, std::memory_order_relaxed);
    uint32_t entered = entered_.load(std::memory_order_acquire);
    do {
      if (passable(entered)) return;
    } while (!entered_.compare_exchange_weak(entered, entered - kReader, std::memory_order_acquire));
    entered_.wait(entered - kReader, std::memory_order_acquire);
    door = entered_.fetch_add(kReader, std::memory_order_acquire) & kDoor;
    if (door == kOpen) return;
  }
  // Woken too late so often, it stays counted.
  for (uint32_t entered = entered_.load(std::memory_order_acquire); !passable(entered);
       entered = entered_.load(std::memory_order_acquire)) {
    entered_.wait(entered, std::memory_order_acquire);
  }
}

// Spins when little is left: a thread that yields its core beside busy ones gets it back only after milliseconds.
void FairSharedMutex::give_grace() const {
  // Sleeping takes about this much longer than asked for.
  constexpr std::chrono::microseconds kSleepError{60};
  for (;;) {
    const auto left = grace_ends_ - Clock::now();
    if (left <= Clock::duration::zero()) return;
    if (left > kSleepError) std::this_thread::sleep_for(left - kSleepError);
  }
}

void FairSharedMutex::lock() {
  for (;;) {
    writers_.lock();
    const uint16_t waiting = waiting_.load(std::memory_order_relaxed);
    if (waiting == 0) break;
    writers_.unlock();
    waiting_.wait(waiting);
  }
  shut_readers_out();
}

// One that writes a batch comes back in the moment in which it leaves, and would keep all others waiting for its end.
void FairSharedMutex::lock_writers_out() {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  writers_.lock();
  waiting_.fetch_sub(1);
  waiting_.notify_all();
}

void FairSharedMutex::shut_readers_out() {
  const bool readers_are_about = (entered_.load(std::memory_order_relaxed) & ~kDoor) != entered_before_;
  const bool some_slept = slept_.load(std::memory_order_relaxed) && slept_.exchange(false, std::memory_order_relaxed);
  if (readers_are_about || some_slept) give_grace();
  coloured_ = !coloured_;
  if (!spin_until(kPatience, [this] { return try_gap(); })) close_door();
  since_ = Clock::now();
}

// Gets in at a moment when no reader is in.
bool FairSharedMutex::try_gap() {
  uint32_t entered = entered_.load(std::memory_order_relaxed);
  if (left_.load(std::memory_order_acquire) != entered) return false;
  // Whoever enters from here on makes the exchange fail. Nobody is in if it succeeds: `entered` readers have left.
  if (!entered_.compare_exchange_strong(entered, entered | closed(), std::memory_order_acquire)) return false;
  entered_before_ = entered;
  return true;
}

void FairSharedMutex::close_door() {
  const uint32_t entered = entered_.fetch_add(closed(), std::memory_order_seq_cst);
  if (!spin_until(kWakingTime, [&] { return left_.load(std::memory_order_acquire) == entered; })) {
    for (;;) {
      const uint32_t left = left_.load(std::memory_order_seq_cst);
      if (left == entered) break;
      left_.wait(left, std::memory_order_seq_cst);
    }
  }
  entered_before_ = entered;
}

void FairSharedMutex::let_readers_in() {
  const auto now = Clock::now();
  grace_ends_ = now + std::min<Clock::duration>(kGraceShare * (now - since_), kLongestGrace);
  entered_.fetch_and(~kDoor, std::memory_order_release);
  entered_.notify_all();
}

}  // namespace memspan
