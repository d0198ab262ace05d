#include "base/strata.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(strata)

std::vector<size_t> sample(size_t items, size_t step, size_t piece, Strata::Distances distances) {
  std::vector<size_t> met;
  Strata all(step, distances);
  for (size_t first = 0; first < items; first += piece) {
    all.pass(std::min(piece, items - first), [&](size_t i) { met.push_back(first + i); });
  }
  return met;
}

BOOST_AUTO_TEST_CASE(even_distances) {
  BOOST_TEST(sample(10, 3, 4, Strata::Distances::even) == (std::vector<size_t>{0, 3, 6, 9}), boost::test_tools::per_element());
  BOOST_TEST(sample(0, 3, 4, Strata::Distances::even).empty());
}

BOOST_AUTO_TEST_CASE(one_of_each_stratum_whatever_the_pieces_are) {
  for (const size_t step : {1, 2, 7, 64, 1000}) {
    const std::vector<size_t> met = sample(20'000, step, 20'000, Strata::Distances::uneven);
    for (size_t i = 0; i < met.size(); ++i) BOOST_TEST(met[i] / step == i);
    BOOST_TEST(met.size() + 1 >= (20'000 + step - 1) / step);
    for (const size_t piece : {1, 3, 682}) BOOST_TEST((sample(20'000, step, piece, Strata::Distances::uneven) == met));
  }
}

BOOST_AUTO_TEST_CASE(what_comes_in_turns_is_met_alike) {
  constexpr size_t kMet = 512;
  for (const size_t turns : {2, 3, 4, 5, 8}) {
    for (const size_t step : {8, 30, 64, 78, 240}) {
      std::vector<size_t> of_turn(turns);
      for (const size_t item : sample(kMet * step, step, 500, Strata::Distances::uneven)) ++of_turn[item % turns];
      for (const size_t count : of_turn) BOOST_TEST(count >= kMet / turns / 2);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace
}  // namespace memspan
