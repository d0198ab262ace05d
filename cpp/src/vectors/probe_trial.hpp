// Queries tried on a layout by reading all of it: what the best rows are, and how scores are scattered.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/huge_pages.hpp"
#include "vectors/cluster_layout.hpp"
#include "vectors/near_best.hpp"
#include "vectors/score_scatter.hpp"

namespace memspan {

// What was found out with one query. Without memory of its own, as there are hundreds of them at a time: malloc would put
// that among what stays.
struct TriedQuery {
  template <typename T>
  using ByHit = std::array<T, ProbeReach::kDepths.back()>;
  using Needed = std::array<ByHit<float>, ProbeReach::kDepths.size()>;  // reach

  // How many of the best are looked at.
  size_t hits(size_t depth) const { return std::min(ProbeReach::kDepths[depth], found); }
  // How far the blocks of the best reach for them, into `needed`.
  void note_needed(const ClusterLayout& layout);

  std::span<float> cosines;  // by block, with its centroid; the caller's memory
  ScoreScatter scatter;
  std::array<float, ProbeReach::kDepths.size()> kth = {};
  size_t found = 0;
  ByHit<uint32_t> best = {};  // positions
  Needed needed = {};  // of blocks
  // Who makes short rows fills in what is needed of them, and how much of the query's square their directions cover.
  Needed needed_short = {};
  float covered = 0.0f;
};

// Some queries at a time, so that a row comes out of memory once for all of them. For one thread.
class ProbeTrial {
 public:
  static constexpr size_t kBatch = 16;

  ProbeTrial(const ClusterLayout& layout, size_t dim);

  // At most kBatch queries of length 1, one after the other. `selves`: for each the position of the row that it equals, or
  // kNoSlot. What is found for a query does not depend on the others. O(rows dim) for each.
  void run(const float* queries, size_t batch, const uint32_t* selves, TriedQuery* tried);

 private:
  static constexpr size_t kTile = 512;  // rows

  void score(const CodeRows& rows, size_t first, size_t count, size_t batch, float* out) const;
  void offer(NearBest& near, const float* scores, size_t first, size_t count);
  void judge(size_t q, uint32_t self, TriedQuery& tried);

  const ClusterLayout& layout_;
  size_t dim_;
  size_t stride_;
  AlignedBuffer<int8_t> codes_;  // of the queries
  std::array<int32_t, kBatch> offsets_;
  std::array<float, kBatch> scales_;
  std::array<NearBest, kBatch> near_;
  huge_pages::PassingVector<float> scores_;   // of a tile, query by query
  huge_pages::PassingVector<float> cosines_;  // of the centroids, query by query
  std::vector<ScoreSums> sums_;               // by query
  std::vector<uint32_t> order_;               // of blocks
  std::array<uint32_t, kTile> selected_;
  std::vector<Candidate> best_;
};

}  // namespace memspan
