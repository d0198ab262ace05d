// The rows that came since the last consolidation, in the order of their coming; every search scans them all.
//
// The first may be those of a snapshot, where they lie in it. Places of erased rows are used again. Thread safety: const
// members may run in parallel; writes need exclusion.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "vectors/chunk_geometry.hpp"
#include "vectors/code_rows.hpp"

namespace memspan {

class FreshRows {
 public:
  explicit FreshRows(size_t dim) : dim_(dim) {}
  // `rows` are taken over as they are; none of them may be dead.
  FreshRows(size_t dim, CodeRows stored, size_t size)
      : dim_(dim), size_(size), stored_size_(size), stored_(std::make_unique<CodeRows>(std::move(stored))) {
    make_room_to_erase(size);
  }

  struct Added {
    uint32_t place;
    float scale;
  };
  Added add(Slot slot, Micros at, const float* unit_vector) {
    uint32_t place;
    if (free_.empty()) {
      place = static_cast<uint32_t>(size_);
      if (chunks_.size() < ChunkGeometry::chunks(size_ - stored_size_ + 1)) {
        chunks_.emplace_back(dim_, ChunkGeometry::size(chunks_.size()), huge_pages::Stay::passing);
        make_room_to_erase(size_ + ChunkGeometry::size(chunks_.size() - 1));
      }
      ++size_;
    } else {
      place = free_.back();
      free_.pop_back();
    }
    const auto [rows, offset] = home(place);
    return {place, rows->put(offset, slot, at, unit_vector)};
  }
  void erase(uint32_t place) {
    const auto [rows, offset] = home(place);
    rows->erase(offset);
    free_.push_back(place);
  }

  // Bytes of the next chunk if it will soon be made; else 0.
  size_t next_chunk() const {
    return CodeRows::bytes_of(dim_, ChunkGeometry::needed_soon(size_ - stored_size_, chunks_.size()));
  }

  size_t size() const { return size_; }  // dead places included
  size_t live() const { return size_ - free_.size(); }

  // The chunk that holds a place, and where in it.
  std::pair<const CodeRows*, size_t> find(uint32_t place) const {
    return const_cast<FreshRows*>(this)->home(place);
  }

  // Where place `first` lies, and how many of the following places come one after the other there.
  struct Run {
    const CodeRows* rows;
    size_t offset;
    size_t count;
  };
  Run run(size_t first) const {
    if (first < stored_size_) return {stored_.get(), first, stored_size_ - first};
    const auto [chunk, offset] = ChunkGeometry::place(first - stored_size_);
    return {&chunks_[chunk], offset, std::min(ChunkGeometry::size(chunk) - offset, size_ - first)};
  }
  size_t bytes() const {
    size_t total = free_.capacity() * sizeof(uint32_t) + chunks_.capacity() * sizeof(CodeRows);
    if (stored_) total += sizeof(CodeRows) + stored_->bytes();
    for (const CodeRows& chunk : chunks_) total += chunk.bytes();
    return total;
  }

  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  // An erasure needs no memory. In whole pages, where that is not much more (CodeRows).
  void make_room_to_erase(size_t size) {
    constexpr size_t kPage = huge_pages::kPage / sizeof(uint32_t);
    free_.reserve(size < kPage / 2 ? size : (size + kPage - 1) / kPage * kPage);
  }
  std::pair<CodeRows*, size_t> home(uint32_t place) {
    if (place < stored_size_) return {stored_.get(), place};
    const auto [chunk, offset] = ChunkGeometry::place(place - stored_size_);
    return {&chunks_[chunk], offset};
  }

  size_t dim_;
  size_t size_ = 0;
  size_t stored_size_ = 0;
  std::unique_ptr<CodeRows> stored_;  // the first places; null: none
  std::vector<CodeRows> chunks_;
  huge_pages::PassingVector<uint32_t> free_;
};

}  // namespace memspan
