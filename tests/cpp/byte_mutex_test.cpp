#include "base/byte_mutex.hpp"

#include <boost/test/unit_test.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(byte_mutex)

BOOST_AUTO_TEST_CASE(one_at_a_time) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 5000;
  static_assert(sizeof(ByteMutex) == 1);
  ByteMutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTimes; ++i) {
        const std::lock_guard alone(mutex);
        ++count;
        if (i % 64 == 0) std::this_thread::yield();  // others come and sleep
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(count == kThreads * kTimes);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
