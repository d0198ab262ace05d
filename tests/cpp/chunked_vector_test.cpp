#include "base/chunked_vector.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(chunked_vector)

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_vector) {
  std::mt19937 random(1);
  ChunkedVector<std::string, 16> chunked;
  std::vector<std::string> oracle;
  for (int step = 0; step < 20000; ++step) {
    const auto choice = random() % 100;
    if (choice < 55) {
      chunked.push_back("a text that is too long to be inside " + std::to_string(step));
      oracle.push_back("a text that is too long to be inside " + std::to_string(step));
    } else if (choice < 95 && !oracle.empty()) {
      const size_t place = random() % oracle.size();
      chunked[place] += "!";
      oracle[place] += "!";
      chunked.pop_back();
      oracle.pop_back();
    } else if (choice >= 99) {
      const size_t size = random() % 200;
      chunked.resize(size);
      oracle.resize(size);
    }
    BOOST_REQUIRE(chunked.size() == oracle.size());
    if (step % 500 == 0) {
      for (size_t i = 0; i < oracle.size(); ++i) BOOST_REQUIRE(chunked[i] == oracle[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(full_blocks_never_move) {
  ChunkedVector<int, 16> chunked;
  for (int i = 0; i < 16; ++i) chunked.push_back(i);
  const int* first = &chunked[0];
  chunked.push_back(16);
  const int* second = &chunked[16];
  for (int i = 17; i < 5000; ++i) chunked.push_back(i);
  BOOST_TEST(&chunked[0] == first);
  BOOST_TEST(&chunked[16] == second);
  for (int i = 0; i < 5000; ++i) BOOST_REQUIRE(chunked[static_cast<size_t>(i)] == i);
}

BOOST_AUTO_TEST_CASE(moves_and_copies_keep_the_elements) {
  for (const size_t size : {0u, 1u, 16u, 17u, 100u}) {
    ChunkedVector<size_t, 16> original;
    for (size_t i = 0; i < size; ++i) original.push_back(i);
    ChunkedVector<size_t, 16> copy(original);
    ChunkedVector<size_t, 16> moved(std::move(original));
    ChunkedVector<size_t, 16> assigned;
    assigned.push_back(7);
    assigned = std::move(copy);
    for (const auto* each : {&moved, &assigned}) {
      BOOST_REQUIRE(each->size() == size);
      for (size_t i = 0; i < size; ++i) BOOST_REQUIRE((*each)[i] == i);
    }
    assigned.push_back(size);
    BOOST_TEST(assigned[size] == size);
  }
}

BOOST_AUTO_TEST_CASE(elements_may_be_movable_only) {
  ChunkedVector<std::unique_ptr<int>, 4> chunked;
  for (int i = 0; i < 30; ++i) chunked.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 30; ++i) BOOST_TEST(*chunked[static_cast<size_t>(i)] == i);
}

BOOST_AUTO_TEST_CASE(little_of_the_first_block_lies_idle) {
  ChunkedVector<uint64_t> chunked;
  for (size_t size = 1; size <= 1024; ++size) {
    chunked.push_back(size);
    if (size >= 384) BOOST_REQUIRE(chunked.bytes() <= size * sizeof(uint64_t) * 9 / 8 + 16);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
