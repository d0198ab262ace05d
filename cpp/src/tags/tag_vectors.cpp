#include "tags/tag_vectors.hpp"

#include <algorithm>
#include <cstring>

#include "simd/kernels.hpp"
#include "vectors/code_query.hpp"
#include "vectors/vector_search.hpp"

namespace memspan {
namespace {

// Rows scored before the scores are looked at: these stay in the first-level cache, and the threshold is young.
constexpr size_t kTile = 128;

VectorScratch& thread_scratch_of_tags() {
  thread_local VectorScratch scratch;
  return scratch;
}

}  // namespace

void TagVectors::add() {
  const auto [chunk, offset] = ChunkGeometry::place(size_);
  if (chunk == codes_.size()) codes_.emplace_back(dim(), ChunkGeometry::size(chunk));
  rows_.grow(size_ + 1);
  rows_.erase(static_cast<TagId>(size_));
  codes_[chunk].erase(offset);
  ++size_;
}

void TagVectors::put(TagId tag, const float* unit_vector) {
  count_ += !has(tag);
  std::memcpy(rows_.row(tag), unit_vector, dim() * sizeof(float));
  const auto [chunk, offset] = ChunkGeometry::place(tag);
  max_scale_ = std::max(max_scale_, codes_[chunk].put(offset, tag, 0, unit_vector));
}

void TagVectors::erase(TagId tag) {
  if (!has(tag)) return;
  --count_;
  rows_.erase(tag);
  const auto [chunk, offset] = ChunkGeometry::place(tag);
  codes_[chunk].erase(offset);
}

void TagVectors::nearest(const float* query, size_t k, bool floats_only, std::vector<Candidate>& found) const {
  VectorScratch& scratch = thread_scratch_of_tags();
  scratch.scores.resize(std::max(kTile, scratch.scores.size()));
  scratch.selected.resize(std::max(kTile, scratch.selected.size()));
  float margin = 0.0f;
  if (!floats_only) {
    scratch.query.set(query, dim());
    margin = scratch.query.to_raw(scratch.query.margin(max_scale_));
  }
  scratch.near.reset(k, margin);
  for (size_t first = 0; first < size_;) {
    const auto [chunk, offset] = ChunkGeometry::place(first);
    const CodeRows& codes = codes_[chunk];
    const size_t tile = std::min({kTile, ChunkGeometry::size(chunk) - offset, rows_.run(static_cast<TagId>(first))});
    if (floats_only) {
      const float* const rows = row(static_cast<TagId>(first));
      kernels().dot_rows(query, rows, dim(), tile, dim(), scratch.scores.data());
    } else {
      scratch.query.score(codes, offset, tile, scratch.scores.data());
    }
    const size_t selected =
        kernels().select_above(scratch.scores.data(), tile, scratch.near.threshold(), scratch.selected.data());
    for (size_t i = 0; i < selected; ++i) {
      const uint32_t at = scratch.selected[i];
      const Slot tag = codes.slot(offset + at);
      if (tag != kNoSlot) scratch.near.offer(scratch.scores[at], tag);
    }
    first += tile;
  }
  scratch.near.prune();
  found.clear();
  for (const Candidate& near : scratch.near.items()) {
    found.push_back({floats_only ? near.score : kernels().dot(query, row(near.slot), dim()), near.slot});
  }
}

void TagVectors::score(const float* query, std::span<const TagId> tags, std::vector<Candidate>& found) const {
  found.clear();
  for (const TagId tag : tags) {
    if (has(tag)) found.push_back({kernels().dot(query, row(tag), dim()), tag});
  }
}

size_t TagVectors::bytes() const {
  size_t total = rows_.bytes() + codes_.capacity() * sizeof(CodeRows);
  for (const CodeRows& codes : codes_) total += codes.bytes();
  return total;
}

}  // namespace memspan
