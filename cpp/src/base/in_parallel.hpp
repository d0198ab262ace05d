// A loop on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace memspan {

// How many threads a loop may use: two, so that searches find a core of their own on all but small machines, or fewer
// where a limit lives in the calling thread. Not to be nested.
class WorkerLimit {
 public:
  static constexpr size_t kMost = 2;

  explicit WorkerLimit(size_t most) { of_thread_ = std::clamp<size_t>(most, 1, kMost); }
  ~WorkerLimit() { of_thread_ = kMost; }
  WorkerLimit(const WorkerLimit&) = delete;
  WorkerLimit& operator=(const WorkerLimit&) = delete;

  static size_t of_thread() { return of_thread_; }

 private:
  static inline thread_local size_t of_thread_ = kMost;
};

// Calls work(first, last) for parts that together are [0, count), each of at least `least`, at the same time; rethrows
// the first exception when all have ended. What a call computes must not depend on where its part begins, so that the
// result is the same on every machine.
template <typename Work>
void in_parallel(size_t count, size_t least, Work work) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t parts = std::clamp<size_t>(count / std::max<size_t>(least, 1), 1, std::min(cores, WorkerLimit::of_thread()));
  if (parts == 1) return work(size_t{0}, count);
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto run = [&](size_t part) {
    try {
      work(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    team.reserve(parts - 1);
    for (size_t part = 1; part < parts; ++part) {
      try {
        team.emplace_back(run, part);
      } catch (const std::system_error&) {  // no more threads: this one does it
        run(part);
      }
    }
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace memspan
