#include "base/fair_shared_mutex.hpp"

#include <boost/test/unit_test.hpp>
#include <array>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(fair_shared_mutex)

// Two numbers that are equal whenever nobody writes.
struct Guarded {
  FairSharedMutex mutex;
  std::array<long, 2> numbers = {};

  void write() {
    const std::unique_lock writing(mutex);
    ++numbers[0];
    std::this_thread::yield();
    ++numbers[1];
  }
  bool consistent() {
    const std::shared_lock reading(mutex);
    return numbers[0] == numbers[1];
  }
};

BOOST_AUTO_TEST_CASE(who_only_tries_never_waits) {
  FairSharedMutex mutex;
  {
    const std::unique_lock writing(mutex);
    BOOST_TEST(!mutex.try_lock_shared());
  }
  BOOST_TEST(mutex.try_lock_shared());
  BOOST_TEST(mutex.try_lock_shared());
  mutex.unlock_shared();
  mutex.unlock_shared();
  mutex.lock();  // nobody is in
  mutex.unlock();
}

BOOST_AUTO_TEST_CASE(a_turn_is_over_after_a_while) {
  FairSharedMutex mutex;
  int fresh = 0;
  for (int i = 0; i < 1000; ++i) {  // a core may be taken away at any moment
    const std::unique_lock writing(mutex);
    fresh += !mutex.turn_is_over();
  }
  BOOST_TEST(fresh > 0);
  const std::unique_lock writing(mutex);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  BOOST_TEST(mutex.turn_is_over());
}

BOOST_AUTO_TEST_CASE(a_writer_is_alone_and_readers_are_not) {
  Guarded guarded;
  std::atomic<int> wrong = 0;
  constexpr int kWriters = 3;
  constexpr int kWrites = 2000;
  {
    std::vector<std::jthread> team;
    for (int w = 0; w < kWriters; ++w) {
      team.emplace_back([&] { for (int i = 0; i < kWrites; ++i) guarded.write(); });
    }
    for (int r = 0; r < 3; ++r) {
      team.emplace_back([&] { for (int i = 0; i < kWrites; ++i) wrong += !guarded.consistent(); });
    }
  }
  BOOST_TEST(wrong == 0);
  BOOST_TEST(guarded.numbers[0] == kWriters * kWrites);

  guarded.mutex.lock_shared();
  std::atomic<bool> in = false;
  std::jthread second([&] {
    const std::shared_lock reading(guarded.mutex);
    in = true;
  });
  second.join();  // ends although the first reader is still in
  BOOST_TEST(in.load());
  guarded.mutex.unlock_shared();
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_the_readers_who_are_in) {
  FairSharedMutex mutex;
  std::atomic<bool> written = false;
  mutex.lock_shared();
  std::jthread writer([&] {
    const std::unique_lock writing(mutex);
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!written.load());
  mutex.unlock_shared();
  writer.join();
  BOOST_TEST(written.load());
}

// Readers that overlap, so that there is never a moment without one, let a writer in; and writers that come without a
// pause let readers in. Without turns either would wait for as long as the others go on.
BOOST_AUTO_TEST_CASE(neither_side_starves) {
  Guarded guarded;
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  const auto repeat = [&](std::vector<std::jthread>& team, int threads, auto work) {
    for (int i = 0; i < threads; ++i) team.emplace_back([&, work] { while (!stop) work(); });
  };
  {
    std::vector<std::jthread> readers;
    repeat(readers, 4, [&] { wrong += !guarded.consistent(); });
    for (int i = 0; i < 200; ++i) guarded.write();
    stop = true;
  }
  BOOST_TEST(guarded.numbers[0] == 200);
  stop = false;
  {
    std::vector<std::jthread> writers;
    repeat(writers, 3, [&] { guarded.write(); });
    for (int i = 0; i < 200; ++i) wrong += !guarded.consistent();
    stop = true;
  }
  BOOST_TEST(wrong == 0);
}

// A long read: writers wait for its end, other readers do not. One that reads behind a writer's door would wait for both.
BOOST_AUTO_TEST_CASE(who_keeps_writers_out_lets_readers_in) {
  Guarded guarded;
  std::atomic<bool> written = false;
  std::jthread writer;
  {
    FairSharedMutex::WritersOut alone(guarded.mutex);
    writer = std::jthread([&] {
      guarded.write();
      written = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST(!written.load());
    BOOST_TEST(guarded.consistent());
    {
      const std::lock_guard nobody(alone);
      BOOST_TEST(!guarded.mutex.try_lock_shared());
      ++guarded.numbers[0];
      ++guarded.numbers[1];
    }
    BOOST_TEST(guarded.consistent());
  }
  writer.join();
  BOOST_TEST(guarded.numbers[0] == 2);
}

// Behind a door that it closed readers would wait for the one who is in.
BOOST_AUTO_TEST_CASE(who_only_tries_to_be_alone_keeps_nobody_waiting) {
  FairSharedMutex mutex;
  FairSharedMutex::WritersOut alone(mutex);
  mutex.lock_shared();
  BOOST_TEST(!alone.try_lock());
  BOOST_TEST(mutex.try_lock_shared());
  mutex.unlock_shared();
  mutex.unlock_shared();
  BOOST_REQUIRE(alone.try_lock());
  BOOST_TEST(!mutex.try_lock_shared());
  alone.unlock();
  BOOST_TEST(mutex.try_lock_shared());
  mutex.unlock_shared();
}

// One that writes again and again would otherwise always be the next one, too.
BOOST_AUTO_TEST_CASE(who_keeps_writers_out_comes_next) {
  Guarded guarded;
  std::atomic<bool> stop = false;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 2; ++i) writers.emplace_back([&] { while (!stop) guarded.write(); });
  long during = 0;
  for (int i = 0; i < 100; ++i) {
    const FairSharedMutex::WritersOut alone(guarded.mutex);
    const auto before = guarded.numbers;
    std::this_thread::yield();
    during += guarded.numbers != before;
  }
  stop = true;
  BOOST_TEST(during == 0);
}

// And the other way round.
BOOST_AUTO_TEST_CASE(who_keeps_writers_out_again_and_again_lets_one_in_between) {
  Guarded guarded;
  std::atomic<bool> stop = false;
  std::atomic<long> turns = 0;
  const std::jthread other([&] {
    for (; !stop; ++turns) {
      const FairSharedMutex::WritersOut alone(guarded.mutex);
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
      while (std::chrono::steady_clock::now() < end) continue;
    }
  });
  constexpr long kWrites = 100;
  long waited = 0;
  for (long i = 0; i < kWrites; ++i) {
    for (const long seen = turns; turns == seen;) std::this_thread::yield();
    const long before = turns;
    const std::unique_lock writing(guarded.mutex);
    waited += turns - before;
  }
  stop = true;
  BOOST_TEST_MESSAGE("turns that a write waits: " << static_cast<double>(waited) / kWrites);
  BOOST_TEST(waited < 20 * kWrites);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
