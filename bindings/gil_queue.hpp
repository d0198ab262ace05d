// Where threads that come back from a short call wait for the GIL awake.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace memspan::python {

// Python lets a thread that finds the GIL taken sleep. It takes tens of microseconds to wake up, in which the other one
// has searched and taken the GIL again: two threads that search for five microseconds each take turns of 5 ms, and do
// no more than one. Here they wait for each other awake, for as long as the Python around a search takes. A hint only:
// the GIL itself decides. Thread-safe.
class GilQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // The GIL was given up.
  void left() {
    passed_.fetch_add(1, std::memory_order_relaxed);
    taken_.store(false, std::memory_order_release);
  }

  // Takes the GIL by `take`, when it is likely to be free or after kAwake.
  template <typename Take>
  void enter(Take take) {
    const auto start = Clock::now();
    const uint32_t passed = passed_.load(std::memory_order_relaxed);
    if (!next()) wait_awake(start);
    take();
    taken_.store(true, std::memory_order_relaxed);
    const auto end = Clock::now();
    if (end - start < kLong || passed_.load(std::memory_order_relaxed) - passed > kFew) return;
    waited_.store(end.time_since_epoch().count(), std::memory_order_relaxed);
  }

  // Whether somebody had it for long lately, who does something else than to search.
  bool waited_long(Clock::time_point now = Clock::now()) const {
    return now.time_since_epoch() < Clock::duration(waited_.load(std::memory_order_relaxed)) + kLately;
  }

 private:
  static constexpr std::chrono::microseconds kAwake{20};
  static constexpr uint32_t kAsleep = 64;  // waits after one that was awake in vain
  static constexpr std::chrono::milliseconds kLong{4};
  static constexpr uint32_t kFew = 16;  // that pass within kLong
  static constexpr std::chrono::milliseconds kLately{100};

  bool next() {
    bool taken = false;
    return !taken_.load(std::memory_order_relaxed) && taken_.compare_exchange_weak(taken, true);
  }
  void wait_awake(Clock::time_point start) {
    if (!awake_.load(std::memory_order_relaxed)) {
      const bool enough = asleep_.fetch_add(1, std::memory_order_relaxed) + 1 >= kAsleep;
      if (enough && several_cores()) awake_.store(true, std::memory_order_relaxed);
      return;
    }
    do {
      for (int turn = 0; turn < 16; ++turn) {
        pause();
        if (next()) return;
      }
    } while (Clock::now() - start < kAwake);
    asleep_.store(0, std::memory_order_relaxed);
    awake_.store(false, std::memory_order_relaxed);
  }
  static bool several_cores() {
    static const bool several = std::thread::hardware_concurrency() > 1;
    return several;
  }
  static void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

  std::atomic<bool> taken_ = true;
  std::atomic<bool> awake_ = false;
  std::atomic<uint32_t> asleep_ = 0;
  std::atomic<uint32_t> passed_ = 0;
  std::atomic<Clock::rep> waited_ = -Clock::duration(kLately).count();  // when a long wait ended
};

inline GilQueue& gil_queue() {
  static constinit GilQueue queue;
  return queue;
}

}  // namespace memspan::python
