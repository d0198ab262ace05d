// The rows that came since the last consolidation, in the order of their coming; every search scans them all.
//
// Places of erased rows are used again. Thread safety: const members may run in parallel; writes need exclusion.
#pragma once

#include <utility>
#include <vector>

#include "vectors/chunk_geometry.hpp"
#include "vectors/code_rows.hpp"

namespace memspan {

class FreshRows {
 public:
  explicit FreshRows(size_t dim) : dim_(dim) {}

  struct Added {
    uint32_t place;
    float scale;
  };
  Added add(Slot slot, Micros at, const float* unit_vector) {
    uint32_t place;
    if (free_.empty()) {
      place = static_cast<uint32_t>(size_);
      if (chunks_.size() < ChunkGeometry::chunks(size_ + 1)) {
        chunks_.emplace_back(dim_, ChunkGeometry::size(chunks_.size()));
        free_.reserve(size_ + ChunkGeometry::size(chunks_.size() - 1));  // an erasure needs no memory
      }
      ++size_;
    } else {
      place = free_.back();
      free_.pop_back();
    }
    const auto [chunk, offset] = ChunkGeometry::place(place);
    return {place, chunks_[chunk].put(offset, slot, at, unit_vector)};
  }
  void erase(uint32_t place) {
    const auto [chunk, offset] = ChunkGeometry::place(place);
    chunks_[chunk].erase(offset);
    free_.push_back(place);
  }

  size_t size() const { return size_; }  // dead places included
  size_t live() const { return size_ - free_.size(); }

  // The chunk that holds a place, and where in it.
  std::pair<const CodeRows*, size_t> find(uint32_t place) const {
    const auto [chunk, offset] = ChunkGeometry::place(place);
    return {&chunks_[chunk], offset};
  }

  // Where place `first` lies, and how many of the following places come one after the other there.
  struct Run {
    const CodeRows* rows;
    size_t offset;
    size_t count;
  };
  Run run(size_t first) const {
    const auto [chunk, offset] = ChunkGeometry::place(first);
    return {&chunks_[chunk], offset, std::min(ChunkGeometry::size(chunk) - offset, size_ - first)};
  }
  void set_slot(uint32_t place, Slot slot) {
    const auto [chunk, offset] = ChunkGeometry::place(place);
    chunks_[chunk].set_slot(offset, slot);
  }

  size_t bytes() const {
    size_t total = free_.capacity() * sizeof(uint32_t) + chunks_.capacity() * sizeof(CodeRows);
    for (const CodeRows& chunk : chunks_) total += chunk.bytes();
    return total;
  }

 private:
  size_t dim_;
  size_t size_ = 0;
  std::vector<CodeRows> chunks_;
  std::vector<uint32_t> free_;
};

}  // namespace memspan
