// A record that a view has found, and which of two is the better one.
#pragma once

#include "base/recency.hpp"
#include "memspan/types.hpp"

namespace memspan {

struct Candidate {
  float score = 0.0f;
  Slot slot = kNoSlot;
};

// Higher score first, then by recency: a total order over the records of a user.
class BetterCandidate {
 public:
  explicit BetterCandidate(Recency recency) : recency_(recency) {}
  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.score != b.score) return a.score > b.score;
    return recency_(a.slot, b.slot);
  }

 private:
  Recency recency_;
};

}  // namespace memspan
