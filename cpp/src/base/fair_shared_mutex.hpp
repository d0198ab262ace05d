// A shared mutex that keeps neither readers nor writers waiting for more than one turn of the others, and that costs a
// reader one atomic addition to enter and one to leave.
//
// Phase-fair (Brandenburg and Anderson, "Spin-based reader-writer synchronization for multiprocessor real-time
// systems", Real-Time Systems 2010): readers and writers take turns while both want in. A writer closes the door behind
// the readers who are in; readers who come later are let in together as soon as it leaves, before the next writer.
// Unlike the published lock, this one goes to sleep after spinning for a moment, and it favours readers within bounds.
// A writer waits for a gap between them for kPatience before it closes the door. And it lets readers who are about work
// for kGraceShare times as long as the write before took: one that writes without a pause would otherwise take half of
// their time. A thread that holds the lock for reading must not ask for it again.
//
// Whoever reads for longer than a turn keeps the writers out instead (WritersOut): a writer that waited for such a reader
// would let no other one in behind its door. So does a thread of low priority, which may lose its core while it reads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/futex.hpp"

namespace memspan {

class FairSharedMutex {
 public:
  void lock();
  void unlock() {
    let_readers_in();
    let_writers_in();
  }

  // While it lives no writer is in, and readers come and go. Its owner may shut these out too, for a moment. A thread
  // that reads must not make one. One that makes one after another lets in a writer who waits, in between.
  class WritersOut {
   public:
    explicit WritersOut(FairSharedMutex& mutex) : mutex_(mutex) { mutex_.lock_writers_out(); }
    ~WritersOut() { mutex_.let_writers_in(); }
    WritersOut(const WritersOut&) = delete;
    WritersOut& operator=(const WritersOut&) = delete;

    // As a lock of the readers (std::unique_lock). Trying never closes the door in front of anybody: it waits for a moment
    // without readers, for 300 microseconds.
    void lock() { mutex_.shut_readers_out(); }
    bool try_lock() { return mutex_.find_gap(); }
    void unlock() { mutex_.let_readers_in(); }

   private:
    FairSharedMutex& mutex_;
  };

  // For the writer who is in: it should leave, and come back with what is left to do.
  bool turn_is_over() const { return Clock::now() - since_ > kTurn; }

  void lock_shared() {
    const uint32_t door = entered_.fetch_add(kReader, std::memory_order_acquire) & kDoor;
    if (door != kOpen) wait_for_door(door);
  }
  // False: a writer is in, or about to be.
  bool try_lock_shared() {
    uint32_t entered = entered_.load(std::memory_order_relaxed);
    while ((entered & kDoor) == kOpen) {
      if (entered_.compare_exchange_weak(entered, entered + kReader, std::memory_order_acquire)) return true;
    }
    return false;
  }
  void unlock_shared() {
    left_.fetch_add(kReader, std::memory_order_seq_cst);
    // Either this sees that the writer is about to sleep, or the writer sees that this reader has left.
    if (writer_sleeps_.load(std::memory_order_seq_cst)) futex::wake_all(left_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // The door is closed by writers of alternating colour, so that a reader sees that another writer has come.
  static constexpr uint32_t kOpen = 0;
  static constexpr uint32_t kClosed = 2;
  static constexpr uint32_t kColour = 1;
  static constexpr uint32_t kDoor = kClosed | kColour;
  static constexpr uint32_t kReader = 4;

  static constexpr int kGraceShare = 4;
  static constexpr std::chrono::microseconds kLongestGrace{100};
  static constexpr std::chrono::microseconds kPatience{300};
  static constexpr std::chrono::microseconds kTurn{80};

  static constexpr int kMostNaps = 8;

  void lock_writers_out();
  void let_writers_in() { writers_.unlock(); }
  void shut_readers_out();
  void let_readers_in();

  uint32_t next_door() const { return kClosed | (~before_ & kColour); }
  void wait_for_door(uint32_t door);
  void note_alone(uint32_t entered);
  bool others_entered() const {
    return static_cast<uint16_t>(entered_.load(std::memory_order_relaxed) & ~kDoor) != (before_ & ~kDoor);
  }
  void give_grace() const;
  bool find_gap();
  bool try_gap();
  void close_door();

  std::atomic<uint32_t> entered_ = 0;  // readers so far, in steps of kReader, and the door
  std::atomic<uint32_t> left_ = 0;     // readers so far, in steps of kReader
  std::mutex writers_;  // held by the writer whose turn it is; guards all that follows and is not atomic
  uint16_t before_ = 0;                      // the last writer's door: its colour, and the lower bits of `entered_`
  std::atomic<bool> writer_sleeps_ = false;  // until the readers have left
  std::atomic<bool> queued_ = false;         // does a writer wait for its turn?
  std::atomic<uint16_t> waiting_ = 0;        // to keep writers out: a writer that comes lets them go first
  std::atomic<uint16_t> asleep_ = 0;         // readers, or about to be
  Clock::time_point since_;            // when the last writer got in
  Clock::time_point grace_ends_;
};

}  // namespace memspan
