#include "base/share_out.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace memspan {

void share_out(size_t workers, size_t count, size_t at_a_time, const std::function<void(size_t, size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    try {
      for (size_t first = next.fetch_add(at_a_time); first < count; first = next.fetch_add(at_a_time)) {
        work(first, std::min(count, first + at_a_time));
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> team;
    team.reserve(workers > 1 ? workers - 1 : 0);
    try {
      while (team.size() + 1 < workers) team.emplace_back(run);
    } catch (const std::system_error&) {  // no more threads: those that are there do it
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace memspan
