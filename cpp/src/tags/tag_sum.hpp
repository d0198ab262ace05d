// The sum of the embeddings of a tag's records, which can be made in pieces while records come and go.
//
// Invariant: it holds the records whose slot is below `next`.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tags/tag_dag.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

class TagSum {
 public:
  explicit TagSum(size_t dim) : values_(dim, 0.0) {}

  size_t count() const { return count_; }
  bool complete() const { return next_ == kNoSlot; }

  // Reads records until `left` numbers are read, which it counts down, but one at least; when none is left it is complete.
  void read(const TagDag::Slots& records, const VectorTable& vectors, size_t& left) {
    std::vector<float> buffer;
    for (auto at = records.lower_bound(next_, std::less<>()); at != records.end(); ++at) {
      if (vectors.has(*at)) include(vectors.floats(*at, buffer), 1.0);
      next_ = *at + 1;
      left -= std::min(left, values_.size());
      if (left == 0) return;
    }
    next_ = kNoSlot;
  }
  // A record comes or goes.
  void follow(Slot slot, std::span<const float> embedding, double sign) {
    if (slot < next_) include(embedding, sign);
  }

  // Writes the direction of the mean; false if no record is embedded or the embeddings cancel out.
  bool take_mean(float* row) const {
    double norm = 0.0;
    for (const double value : values_) norm += value * value;
    if (count_ == 0 || norm < 1e-12) return false;
    const double scale = 1.0 / std::sqrt(norm);
    for (size_t i = 0; i < values_.size(); ++i) row[i] = static_cast<float>(values_[i] * scale);
    return true;
  }

  size_t bytes() const { return sizeof(*this) + values_.capacity() * sizeof(double); }

 private:
  void include(std::span<const float> embedding, double sign) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] += sign * static_cast<double>(embedding[i]);
    count_ += sign > 0.0 ? 1 : size_t{0} - 1;
  }

  std::vector<double> values_;
  size_t count_ = 0;
  Slot next_ = 0;
};

}  // namespace memspan
