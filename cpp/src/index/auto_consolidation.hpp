// Consolidates users by itself, on a thread of its own, when their writes have made that worth it.
//
// There is one thread at most. It is started when there is something to do, runs at a low priority, and ends when nothing
// is left, so that an index at rest has none. It works as any caller of UserIndex::consolidate would: beside readers and
// writers. Before this object goes, before the process forks and before it exits, the thread is stopped and joined:
// within milliseconds, because the work in progress is abandoned (vectors/interruption.hpp). After a fork the parent takes
// the work up again at once, the child with the next write.
//
// Thread safety: every member function may be called from any thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "memspan/consolidation.hpp"

namespace memspan {

class UserIndex;

class AutoConsolidation {
 public:
  AutoConsolidation();
  ~AutoConsolidation();
  AutoConsolidation(const AutoConsolidation&) = delete;
  AutoConsolidation& operator=(const AutoConsolidation&) = delete;

  // To be called after a write. Cheap unless the user asks for a consolidation. A user that goes is not kept. Never
  // throws: what fails is counted, and tried again after later writes.
  void consider(const std::shared_ptr<UserIndex>& user) noexcept;

  AutoConsolidations state() const;
  // Returns when nothing is left to do.
  void wait() const;

  // Ends the thread and keeps its work for later; what comes meanwhile waits too.
  void suspend();
  // To be called before other handlers of forks are registered that wait for threads which may call any of these.
  static void take_part_in_forks();
  // Around a fork, by the thread that forks: nothing is in the middle of anything then. One side may start threads.
  void before_fork();
  void after_fork(bool may_start);

 private:
  void start_if_needed();  // with mutex_ held
  void work();
  std::shared_ptr<UserIndex> next_user();
  void note_done(const std::shared_ptr<UserIndex>& user, const std::optional<ConsolidationReport>& report);

  mutable std::mutex mutex_;
  std::deque<std::weak_ptr<UserIndex>> waiting_;  // the first is being worked on while working_
  AutoConsolidations state_;
  std::thread thread_;
  bool working_ = false;    // the thread has not come to its end
  bool suspended_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace memspan
