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

// Counts a reader before it looks at the door for the last time: whoever opens that looks at the count after it.
class Asleep {
 public:
  explicit Asleep(std::atomic<uint16_t>& count) : count_(count) { count_.fetch_add(1, std::memory_order_seq_cst); }
  ~Asleep() { count_.fetch_sub(1, std::memory_order_relaxed); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  std::atomic<uint16_t>& count_;
};

}  // namespace

void FairSharedMutex::wait_for_door(uint32_t door) {
  // Another colour: the writer has left, and the next one counts this reader among those it waits for.
  const auto passable = [&](uint32_t entered) { return (entered & kDoor) != door; };
  for (int naps = 0; naps < kMostNaps; ++naps) {
    if (spin_until(kWakingTime, [&] { return passable(entered_.load(std::memory_order_acquire)); })) return;
    // A reader that sleeps is not counted, so that writers need not wait for it to wake: they give it a moment. Only
    // behind the door that was closed before it came can it take itself out: a later writer waits for it.
    const Asleep asleep(asleep_);
    uint32_t entered = entered_.load(std::memory_order_acquire);
    do {
      if (passable(entered)) return;
    } while (!entered_.compare_exchange_weak(entered, entered - kReader, std::memory_order_acquire));
    futex::wait(entered_, entered - kReader);
    door = entered_.fetch_add(kReader, std::memory_order_acquire) & kDoor;
    if (door == kOpen) return;
  }
  // Woken too late so often, it stays counted.
  const Asleep asleep(asleep_);
  for (uint32_t entered = entered_.load(std::memory_order_acquire); !passable(entered);
       entered = entered_.load(std::memory_order_acquire)) {
    futex::wait(entered_, entered);
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
    if (!writers_.try_lock()) {
      queued_.store(true, std::memory_order_relaxed);
      writers_.lock();
    }
    const uint16_t waiting = waiting_.load(std::memory_order_relaxed);
    if (waiting == 0) break;
    queued_.store(true, std::memory_order_relaxed);
    writers_.unlock();
    waiting_.wait(waiting);
  }
  // Of several the first takes it back: the others come all the same, though nobody gives way to them.
  if (queued_.load(std::memory_order_relaxed)) queued_.store(false, std::memory_order_relaxed);
  shut_readers_out();
}

// One that writes a batch comes back in the moment in which it leaves, and would keep all others waiting for its end. And so
// would one that keeps writers out again and again, which gives a writer that waits the time to wake up.
void FairSharedMutex::lock_writers_out() {
  const auto nobody_queues = [this] { return !queued_.load(std::memory_order_relaxed); };
  bool free = spin_until(kPatience, nobody_queues);
  for (int naps = 0; !free && naps < kMostNaps; ++naps) {
    std::this_thread::sleep_for(kPatience);
    free = nobody_queues();
  }
  waiting_.fetch_add(1, std::memory_order_relaxed);
  writers_.lock();
  waiting_.fetch_sub(1);
  waiting_.notify_all();
}

void FairSharedMutex::shut_readers_out() {
  if (others_entered() || asleep_.load(std::memory_order_relaxed) != 0) give_grace();
  if (!find_gap()) close_door();
}

bool FairSharedMutex::find_gap() {
  return spin_until(kPatience, [this] { return try_gap(); });
}

// Gets in at a moment when no reader is in.
bool FairSharedMutex::try_gap() {
  uint32_t entered = entered_.load(std::memory_order_relaxed);
  if (left_.load(std::memory_order_acquire) != entered) return false;
  // Whoever enters from here on makes the exchange fail. Nobody is in if it succeeds: `entered` readers have left.
  if (!entered_.compare_exchange_strong(entered, entered | next_door(), std::memory_order_acquire)) return false;
  note_alone(entered);
  return true;
}

void FairSharedMutex::close_door() {
  const uint32_t entered = entered_.fetch_add(next_door(), std::memory_order_seq_cst);
  if (!spin_until(kWakingTime, [&] { return left_.load(std::memory_order_acquire) == entered; })) {
    writer_sleeps_.store(true, std::memory_order_seq_cst);
    for (uint32_t left = left_.load(std::memory_order_seq_cst); left != entered;
         left = left_.load(std::memory_order_seq_cst)) {
      futex::wait(left_, left);
    }
    writer_sleeps_.store(false, std::memory_order_relaxed);
  }
  note_alone(entered);
}

void FairSharedMutex::note_alone(uint32_t entered) {
  before_ = static_cast<uint16_t>(entered | (~before_ & kColour));
  since_ = Clock::now();
}

void FairSharedMutex::let_readers_in() {
  const auto now = Clock::now();
  grace_ends_ = now + std::min<Clock::duration>(kGraceShare * (now - since_), kLongestGrace);
  entered_.fetch_and(~kDoor, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) != 0) futex::wake_all(entered_);
}

}  // namespace memspan
