// Joins the candidates of several views into one ranking.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/recency.hpp"
#include "base/slot_table.hpp"
#include "base/top_k.hpp"
#include "memspan/query.hpp"

namespace memspan {

using CandidateLists = std::array<std::vector<Candidate>, kViewCount>;  // by View; best first

struct FusedHit {
  Slot slot = kNoSlot;
  float score = 0.0f;
  std::array<uint32_t, kViewCount> ranks = {};  // from 1; 0: not found by the view
  // Set by the stages after fusion.
  Slot neighbor_of = kNoSlot;
  float neighbor_boost = 0.0f;
  bool backfilled = false;
};

// Fills `hits` with one entry for each candidate of any view, in no particular order, and `positions` with where each
// is. O(candidates).
//   rrf       sum of weight / (60 + rank): reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)
//   union_    1 / best rank: the lists interleaved, each record once (SimpleMem's set union, made a ranking)
//   weighted  sum of weight x the view's score scaled to 0-1 over its candidates; 1 where they are all equal
// Fusion::learned is not made here (ranking/learned.hpp).
void fuse(const CandidateLists& candidates, Fusion fusion, const std::array<float, kViewCount>& weights,
          size_t slots, SlotTable& positions, std::vector<FusedHit>& hits);

// The candidates of one view, with its own scores: one view alone needs no fusion.
void keep_scores(View view, std::span<const Candidate> candidates, std::vector<FusedHit>& hits);

// Best first; equal scores: newer first (base/recency.hpp). Keeps the first k. O(hits + k log k).
void rank(std::vector<FusedHit>& hits, size_t k, Recency recency);

}  // namespace memspan
