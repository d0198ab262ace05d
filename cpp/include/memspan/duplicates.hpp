// Records that nearly say the same, by the cosine of their embeddings.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

struct DuplicateQuery {
  float threshold = 0.97f;  // least cosine, above 0 and at most 1
  std::vector<Kind> kinds;  // only these; a pair is of one kind
  // Only pairs with a record that was learnt at this time or later.
  Micros since = std::numeric_limits<Micros>::min();
  size_t most = 1'000'000;  // pairs
  unsigned threads = 0;     // that compare; 0: one for every core
};

struct DuplicatePair {
  std::string first;  // the lesser id
  std::string second;
  float cosine = 0.0f;
};

struct Duplicates {
  std::vector<DuplicatePair> pairs;  // nearest first, then by ids
  bool complete = true;              // false: there were more than `most`, and which of them are here is not said
  uint64_t records = 0;              // that were compared
};

}  // namespace memspan
