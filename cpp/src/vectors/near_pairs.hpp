// All pairs of some unit vectors whose cosine may reach a threshold: none is missed, few others are left.
//
// Three bounds, each exact, the cheapest first. (1) 64 numbers stand for each (short_vector.hpp). (2) All coordinates
// as codes. (3) The floats, which are the caller's. (1) and (2) take the error of the codes into account (short_codes.hpp,
// bounded_codes.hpp).
//
// Why not blocks and their radii: two random members of a cluster are nearly as far apart as members of different ones, so
// that the triangle inequality rules out next to nothing at 384 dimensions; 58 leading coordinates rule out all but one
// pair in thousands.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "vectors/bounded_codes.hpp"
#include "vectors/leading_directions.hpp"
#include "vectors/short_codes.hpp"
#include "vectors/short_vector.hpp"

namespace memspan {

class NearPairs {
 public:
  // `sample`: some of the vectors, one after the other, to find the leading directions of.
  NearPairs(size_t dim, size_t capacity, std::span<const float> sample);

  void add(const float* unit_vector);
  size_t size() const { return size_; }

  using Pair = std::pair<uint32_t, uint32_t>;  // the numbers of the vectors, in the order of `add`, the lesser first
  // Hands out every pair of different vectors, one of them among the first `fresh`, whose cosine is `threshold` or more,
  // with some others, to `found`, some thousands at a time. False from `found` ends the search. Compares on `workers`
  // threads: this one, which alone calls `found`, and helpers that run in spare time (base/thread_priority.hpp), so that
  // no search waits for a core because of them. O(fresh size) with 64 bytes a pair.
  void find(size_t fresh, float threshold, size_t workers, const std::function<bool(std::span<const Pair>)>& found) const;

 private:
  class Search;
  class Waiting;

  LeadingDirections directions_;
  ShortCodes short_;
  BoundedCodes whole_;
  size_t size_ = 0;
  float whole_error_ = 0.0f;  // no row has a larger one
};

}  // namespace memspan
