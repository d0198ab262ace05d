// The vectors of a user's tags: float32 unit rows for exact scores, and 8-bit codes of them for scans.
//
// As in the vector table, but by tag and without blocks: a scan of all codes is fast enough for as many tags as users have
// (ARCHITECTURE.md). Rows never move, and memory is asked for chunk by chunk, so that a tag that comes never copies those
// that are there. Thread safety: const members may run in parallel; writes need exclusion. Memory: 5 dim + 16 bytes a tag.
#pragma once

#include <span>
#include <vector>

#include "base/candidate.hpp"
#include "tags/acyclic_graph.hpp"
#include "vectors/chunk_geometry.hpp"
#include "vectors/code_rows.hpp"
#include "vectors/row_store.hpp"

namespace memspan {

class TagVectors {
 public:
  explicit TagVectors(size_t dim) : rows_(dim * sizeof(float)) {}

  size_t size() const { return size_; }    // tags are numbered below this
  size_t count() const { return count_; }  // of those with a vector
  bool has(TagId tag) const {
    const auto [chunk, offset] = ChunkGeometry::place(tag);
    return codes_[chunk].slot(offset) != kNoSlot;
  }
  const float* row(TagId tag) const { return reinterpret_cast<const float*>(rows_.row(tag)); }

  // The next number, without a vector. If that throws, nothing has changed.
  void add();
  void put(TagId tag, const float* unit_vector);
  void erase(TagId tag);

  // Tags (as slots) with their exact cosines, in no order, among which are the k best and all that equal the k-th. Compares
  // codes, and floats where these leave a doubt; with `floats_only` nothing else. O(tags dim).
  void nearest(const float* query, size_t k, bool floats_only, std::vector<Candidate>& found) const;
  // Those of `tags` that have a vector.
  void score(const float* query, std::span<const TagId> tags, std::vector<Candidate>& found) const;

  size_t bytes() const;

 private:
  size_t dim() const { return rows_.row_bytes() / sizeof(float); }

  RowStore rows_;                // float32
  std::vector<CodeRows> codes_;  // in chunks of ChunkGeometry, whose slots are tags; kNoSlot: no vector
  size_t size_ = 0;
  size_t count_ = 0;
  float max_scale_ = 0.0f;  // no row has a larger one
};

}  // namespace memspan
