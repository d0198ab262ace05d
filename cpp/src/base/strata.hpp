// One of each `step` items that pass by. Of items some of which do not count, at uneven distances: of what comes in turns, as a
// question and its answer do, the others alone might else be met.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memspan {

class Strata {
 public:
  enum class Distances : uint8_t { even, uneven };

  Strata(size_t step, Distances distances) : step_(step), distances_(distances) {}

  // Calls use(i) for those of the next `count` items, numbered from 0, that are of the sample.
  template <typename Use>
  void pass(size_t count, Use use) {
    for (; next_ - passed_ < count; next_ = place(++stratum_)) use(next_ - passed_);
    passed_ += count;
  }

 private:
  size_t place(uint32_t stratum) const {
    if (distances_ == Distances::even) return stratum * step_;
    uint32_t chance = stratum * 0x9E3779B1;
    chance = (chance ^ chance >> 15) * 0x85EBCA77;
    chance ^= chance >> 13;
    return stratum * step_ + static_cast<size_t>(uint64_t{chance} * step_ >> 32);
  }

  size_t step_;
  Distances distances_;
  uint32_t stratum_ = 0;
  size_t next_ = 0;
  size_t passed_ = 0;
};

}  // namespace memspan
