// How a query's scores are scattered within the blocks that are nearest to it, beside what the blocks' figures say of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vectors/cluster_layout.hpp"

namespace memspan {

// Sums over the rows of some blocks, of squares. A row's score is the product of both cosines with the centroid, and that
// of what is orthogonal to it in both.
struct ScoreScatter {
  double observed = 0.0;  // what scores are off the mean of their block
  double along = 0.0;     // what the first product would be off its mean
  double across = 0.0;    // what the second one would come to, if all of that lay on one line
};

// Sums up the scores of one query, row by row of a layout. For one thread.
class ScoreSums {
 public:
  explicit ScoreSums(size_t blocks) : of_blocks_(blocks) {}

  void reset() { of_blocks_.assign(of_blocks_.size(), {}); }
  // The scores of the rows from position `first` on. O(count).
  void add(const ClusterLayout& layout, size_t first, std::span<const float> scores);
  // In the blocks with the highest cosines. `scale`: of scores to cosines. `order` is room for numbers of blocks. O(blocks).
  ScoreScatter scatter(const ClusterLayout& layout, std::span<const float> cosines, float scale, std::vector<uint32_t>& order) const;

 private:
  struct Sums {
    double scores = 0.0;
    double squares = 0.0;
  };
  std::vector<Sums> of_blocks_;
};

}  // namespace memspan
