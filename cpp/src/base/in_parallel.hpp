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

// Background work takes so many threads at most, so that searches find a core of their own on all but small machines.
inline constexpr size_t kMostWorkers = 2;

// Calls work(first, last) for parts that together are [0, count), each of at least `least`, at the same time; rethrows
// the first exception when all have ended. What a call computes must not depend on where its part begins, so that the
// result is the same on every machine.
template <typename Work>
void in_parallel(size_t count, size_t least, Work work) {
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t parts = std::clamp<size_t>(count / std::max<size_t>(least, 1), 1, std::min(cores, kMostWorkers));
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
