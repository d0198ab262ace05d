// The float32 rows of a user by slot: unit vectors for exact scores. Rows never move once they are written.
//
// Thread safety: const members may run in parallel; writes need exclusion. `pin` keeps the memory of the rows alive for
// a reader without a lock, as long as nobody overwrites the rows that it reads.
// Memory: 4 dim bytes a slot, in the chunks of chunk_geometry.hpp.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "memspan/types.hpp"
#include "vectors/chunk_geometry.hpp"

namespace memspan {

class RowStore {
 public:
  explicit RowStore(size_t dim) : dim_(dim) {}

  size_t dim() const { return dim_; }
  size_t size() const { return size_; }
  void grow(size_t slots) {
    while (chunks_.size() < ChunkGeometry::chunks(slots)) {
      chunks_.push_back(std::make_shared<AlignedBuffer<float>>(ChunkGeometry::size(chunks_.size()) * dim_));
    }
    size_ = std::max(size_, slots);
  }

  float* row(Slot slot) { return const_cast<float*>(std::as_const(*this).row(slot)); }
  const float* row(Slot slot) const {
    const auto [chunk, offset] = ChunkGeometry::place(slot);
    return chunks_[chunk]->data() + offset * dim_;
  }

  // A copy that shares the memory of the rows.
  RowStore pin() const { return *this; }

  size_t bytes() const {
    size_t total = 0;
    for (const auto& chunk : chunks_) total += chunk->bytes();
    return total;
  }

 private:
  size_t dim_;
  size_t size_ = 0;
  std::vector<std::shared_ptr<AlignedBuffer<float>>> chunks_;
};

}  // namespace memspan
