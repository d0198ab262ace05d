// Joins the candidates of several views into one ranking.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/recency.hpp"
#include "base/top_k.hpp"
#include "memspan/query.hpp"

namespace memspan {

struct FusedHit {
  Slot slot = kNoSlot;
  float score = 0.0f;
  std::array<ViewScore, kViewCount> views = {};
  // Set by the stages after fusion.
  Slot neighbor_of = kNoSlot;
  float neighbor_boost = 0.0f;
  bool backfilled = false;
};

// One entry for each candidate of any view (by View), in no particular order. O(candidates).
//   rrf       sum of weight / (60 + rank): reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)
//   union_    1 / best rank: the lists interleaved, each record once (SimpleMem's set union, made a ranking)
//   weighted  sum of weight x the view's score scaled to 0-1 over its candidates; 1 where they are all equal
std::vector<FusedHit> fuse(const std::array<std::vector<Candidate>, kViewCount>& candidates, Fusion fusion,
                           const std::array<float, kViewCount>& weights);

// Best first; equal scores: newer first, then by id. Keeps the first k.
void rank(std::vector<FusedHit>& hits, size_t k, Recency recency);

}  // namespace memspan
