#include "index/auto_consolidation.hpp"

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "base/forks.hpp"
#include "base/huge_pages.hpp"
#include "base/in_parallel.hpp"
#include "base/thread_priority.hpp"
#include "index/user_index.hpp"
#include "vectors/interruption.hpp"

namespace memspan {
namespace {

// All that live, so that a fork or the end of the process finds none of them in the middle of something. The list itself
// is never destroyed: the process may end while indexes live.
class Registry {
 public:
  static Registry& instance() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  void add(AutoConsolidation* one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(one);
  }
  void remove(AutoConsolidation* one) {
    const std::lock_guard lock(mutex_);
    std::erase(all_, one);
  }

 private:
  Registry() {
    std::atexit([] { instance().suspend_all(); });
#if defined(__unix__) || defined(__APPLE__)
    forks();  // counts when all threads have stopped
    huge_pages::take_part_in_forks();
    pthread_atfork([] { instance().before_fork(); }, [] { instance().after_fork(true); },
                   [] { instance().after_fork(false); });
#endif
  }

  void suspend_all() {
    const std::lock_guard lock(mutex_);
    for (AutoConsolidation* one : all_) one->suspend();
  }
  // The lock is held over the fork, so that the child's list is whole.
  void before_fork() {
    mutex_.lock();
    for (AutoConsolidation* one : all_) one->before_fork();
  }
  void after_fork(bool may_start) {
    for (AutoConsolidation* one : all_) one->after_fork(may_start);
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::vector<AutoConsolidation*> all_;
};

}  // namespace

AutoConsolidation::AutoConsolidation() { Registry::instance().add(this); }

AutoConsolidation::~AutoConsolidation() {
  Registry::instance().remove(this);
  suspend();
}

void AutoConsolidation::consider(const std::shared_ptr<UserIndex>& user) noexcept {
  if (!user->claim_consolidation()) return;
  const std::lock_guard lock(mutex_);
  try {
    waiting_.push_back(user);
  } catch (...) {  // no memory
    ++state_.failed;
    user->postpone_consolidation();
    return;
  }
  try {
    start_if_needed();
  } catch (...) {  // no thread: the user waits for the next one
    ++state_.failed;
  }
}

void AutoConsolidation::start_if_needed() {
  if (working_ || suspended_ || waiting_.empty()) return;
  if (thread_.joinable()) thread_.join();  // it has come to its end
  thread_ = std::thread([this] { work(); });
  working_ = true;
}

// The first that is still there; it stays first until it is done.
std::shared_ptr<UserIndex> AutoConsolidation::next_user() {
  const std::lock_guard lock(mutex_);
  while (!stop_ && !waiting_.empty()) {
    if (std::shared_ptr<UserIndex> user = waiting_.front().lock()) return user;
    waiting_.pop_front();
  }
  working_ = false;
  return nullptr;
}

void AutoConsolidation::work() {
  lower_priority();
  const Interruptible interruptible(stop_);
  const WorkerLimit alone(1);
  while (const std::shared_ptr<UserIndex> user = next_user()) {
    try {
      const std::optional<ConsolidationReport> report = user->consolidate_if_needed();
      user->compact_after_removals();
      note_done(user, report);
    } catch (const Interrupted&) {  // it stays the first
    } catch (...) {
      user->postpone_consolidation();
      const std::lock_guard lock(mutex_);
      ++state_.failed;
      waiting_.pop_front();
    }
  }
  huge_pages::trim();
}

void AutoConsolidation::note_done(const std::shared_ptr<UserIndex>& user, const std::optional<ConsolidationReport>& report) {
  const bool again = report && user->still_needs_consolidation();
  const std::lock_guard lock(mutex_);
  if (report) {
    ++state_.done;
    if (state_.reports.size() == AutoConsolidations::kReports) state_.reports.erase(state_.reports.begin());
    state_.reports.push_back(*report);
  }
  if (again) waiting_.push_back(user);
  waiting_.pop_front();
}

AutoConsolidations AutoConsolidation::state() const {
  const std::lock_guard lock(mutex_);
  AutoConsolidations state = state_;
  state.waiting = waiting_.size();
  return state;
}

void AutoConsolidation::wait() const {
  constexpr std::chrono::microseconds kBetweenLooks{200};
  const auto busy = [this] {
    const std::lock_guard lock(mutex_);
    return working_;
  };
  while (busy()) std::this_thread::sleep_for(kBetweenLooks);
}

void AutoConsolidation::suspend() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    suspended_ = stop_ = true;
    ending = std::move(thread_);
  }
  if (ending.joinable()) ending.join();
}

void AutoConsolidation::take_part_in_forks() { Registry::instance(); }

void AutoConsolidation::before_fork() {
  suspend();
  mutex_.lock();
}

void AutoConsolidation::after_fork(bool may_start) {
  suspended_ = stop_ = false;
  try {
    if (may_start) start_if_needed();
  } catch (...) {
    ++state_.failed;
  }
  mutex_.unlock();
}

}  // namespace memspan
