// Queries tried on a layout by reading all of it: what the best rows are, and how far their blocks reached for them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/huge_pages.hpp"
#include "vectors/cluster_layout.hpp"
#include "vectors/near_best.hpp"

namespace memspan {

// What was found out with one query.
struct TriedQuery {
  using Needed = std::array<std::vector<float>, ProbeReach::kDepths.size()>;  // reach, for each of the best

  std::vector<float> means;    // by block: expected score
  std::vector<float> spreads;  // by block
  std::array<float, ProbeReach::kDepths.size()> kth = {};
  std::vector<uint32_t> best;  // positions
  Needed needed;               // of blocks
  Needed needed_short;         // of short rows, which who has them fills in
};

// Some queries at a time, so that a row comes out of memory once for all of them. For one thread.
class ProbeTrial {
 public:
  static constexpr size_t kBatch = 16;

  ProbeTrial(const ClusterLayout& layout, size_t dim);

  // At most kBatch queries of length 1. `selves`: for each the position of the row that it equals, or kNoSlot. What is
  // found for a query does not depend on the others. O(rows dim) for each.
  void run(std::span<const std::vector<float>> queries, const uint32_t* selves, TriedQuery* tried);

 private:
  static constexpr size_t kTile = 512;  // rows

  void score(const CodeRows& rows, size_t first, size_t count, size_t batch, float* out) const;
  void offer(NearBest& near, const float* scores, size_t first, size_t count);
  TriedQuery judge(NearBest& near, float scale, const float* cosines, uint32_t self);

  const ClusterLayout& layout_;
  size_t dim_;
  size_t stride_;
  AlignedBuffer<int8_t> codes_;  // of the queries
  std::array<int32_t, kBatch> offsets_;
  std::array<float, kBatch> scales_;
  std::array<NearBest, kBatch> near_;
  huge_pages::PassingVector<float> scores_;   // of a tile, query by query
  huge_pages::PassingVector<float> cosines_;  // of the centroids, query by query
  std::array<uint32_t, kTile> selected_;
  std::vector<Candidate> best_;
};

}  // namespace memspan
