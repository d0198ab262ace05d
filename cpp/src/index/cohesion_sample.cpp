#include "index/cohesion_sample.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace memspan {
namespace {

constexpr size_t kBlocksTaken = 128;
constexpr size_t kRowsOfBlock = 16;
constexpr size_t kLateTaken = 512;
constexpr size_t kTagsOfRow = 16;
constexpr size_t kBlocksAStep = 32;
constexpr size_t kTagsAStep = 1024;

}  // namespace

void CohesionSample::take(Slot slot, const TagDag& tags) {
  if (slot == kNoSlot) return;
  std::array<TagId, kTagsOfRow> own;
  size_t count = 0;
  for (const TagId tag : tags.tags_of(slot)) {
    if (count == own.size()) break;
    own[count++] = tag;
    if (known_.insert(tag).second) distinct_.push_back(tag);
  }
  if (count > 0) records_.add(std::span(own).first(count));
}

void CohesionSample::take_block(const ClusterLayout& layout, size_t taken, const TagDag& tags) {
  const size_t count = layout.blocks.size();
  const Block& block = layout.blocks[blocks_ * count / taken];
  const size_t rows = block.end - block.start;
  const size_t wanted = std::min(rows, kRowsOfBlock);
  const auto begin = static_cast<uint32_t>(records_.size());
  for (size_t r = 0; r < wanted; ++r) take(layout.rows.slot(block.start + r * rows / wanted), tags);
  const double stands_for = static_cast<double>(rows * count) / static_cast<double>(taken);
  groups_.push_back({begin, static_cast<uint32_t>(records_.size()), stands_for});
  ++blocks_;
}

void CohesionSample::take_late(const VectorTable& vectors, const TagDag& tags) {
  const size_t places = vectors.late_places();
  const size_t wanted = std::min(places, kLateTaken);
  const auto begin = static_cast<uint32_t>(records_.size());
  for (size_t i = 0; i < wanted; ++i) take(vectors.late_slot(i * places / wanted), tags);
  groups_.push_back({begin, static_cast<uint32_t>(records_.size()), static_cast<double>(places)});
  has_late_ = true;
}

bool CohesionSample::step(const ClusterLayout* layout, const VectorTable& vectors, const TagDag& tags) {
  const size_t blocks = layout == nullptr ? 0 : std::min(layout->blocks.size(), kBlocksTaken);
  if (blocks_ < blocks) {
    for (size_t i = 0; i < kBlocksAStep && blocks_ < blocks; ++i) take_block(*layout, blocks, tags);
    return true;
  }
  if (with_late_ && !has_late_) {
    take_late(vectors, tags);
    return true;
  }
  for (size_t i = 0; i < kTagsAStep && related_ < distinct_.size(); ++i) {
    const TagId child = distinct_[related_++];
    if (!tags.exists(child)) continue;  // it vanished with its last record, since the step that took it
    for (const TagId parent : tags.graph().parents(child)) {
      if (known_.contains(parent)) records_.relations.emplace_back(parent, child);
    }
  }
  return related_ < distinct_.size();
}

Cohesion CohesionSample::measure() const {
  if (records_.size() == 0) return {};
  const PassingVector<TagEdge> edges = find_edges(records_, count_records(records_));
  const std::span<const TagGroup> all(groups_);
  const std::span<const TagGroup> blocks = all.first(blocks_);
  const double laid_out = tag_cohesion(records_, edges, blocks);
  if (!has_late_) return {laid_out, laid_out, laid_out};
  const TagGroup& late = all.back();
  double rows = 0.0;
  for (const TagGroup& group : all) rows += group.rows;
  const double share =
      rows > 0.0 ? late.rows / rows * strangers(records_, edges, blocks, laid_out, late.first, late.last) : 0.0;
  // Rows that belong to no block come to lie in blocks of others, all over the layout. Where they are this share of a
  // block, two of its rows are both of the old topic or, at best, both of one new one.
  const double kept = (1.0 - share) * (1.0 - share) + share * share;
  return {laid_out, laid_out * kept, tag_cohesion(records_, edges, all)};
}

}  // namespace memspan
