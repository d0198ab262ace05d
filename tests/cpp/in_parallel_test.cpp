#include "base/in_parallel.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(in_parallel)

BOOST_AUTO_TEST_CASE(every_position_is_visited_once) {
  for (const size_t count : {0u, 1u, 2u, 7u, 1000u, 1001u}) {
    for (const size_t least : {0u, 1u, 3u, 500u, 5000u}) {
      std::vector<std::atomic<int>> visits(count);
      memspan::in_parallel(count, least, [&](size_t first, size_t last) {
        for (; first < last; ++first) ++visits[first];
      });
      size_t once = 0;
      for (const auto& visit : visits) once += visit == 1;
      BOOST_TEST(once == count);
    }
  }
}

BOOST_AUTO_TEST_CASE(few_positions_are_visited_by_the_caller) {
  std::thread::id worker;
  memspan::in_parallel(9, 5, [&](size_t, size_t) { worker = std::this_thread::get_id(); });
  BOOST_TEST((worker == std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(a_limit_holds_for_its_thread_while_it_lives) {
  const auto parts = [] {
    std::atomic<int> count = 0;
    memspan::in_parallel(1000, 1, [&](size_t, size_t) { ++count; });
    return count.load();
  };
  const int without = parts();
  {
    const WorkerLimit alone(1);
    BOOST_TEST(parts() == 1);
    int elsewhere = 0;
    std::jthread([&] { elsewhere = parts(); }).join();
    BOOST_TEST(elsewhere == without);
  }
  BOOST_TEST(parts() == without);
}

BOOST_AUTO_TEST_CASE(a_failure_reaches_the_caller_when_all_have_ended) {
  std::atomic<int> ended = 0;
  const auto fail_at_the_end = [&](size_t, size_t last) {
    ++ended;
    if (last == 10) throw std::runtime_error("the last part");
  };
  BOOST_CHECK_THROW(memspan::in_parallel(10, 1, fail_at_the_end), std::runtime_error);
  BOOST_TEST(ended >= 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
