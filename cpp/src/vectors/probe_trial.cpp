#include "vectors/probe_trial.hpp"

#include <algorithm>

namespace memspan {

void TriedQuery::note_needed(const ClusterLayout& layout) {
  for (size_t i = 0; i < found; ++i) {
    const size_t block = layout.block_of(best[i]);
    const float expected = cosines[block] * layout.means[block];
    const float spread = layout.spread(block, cosines[block]);
    for (size_t depth = 0; depth < kth.size(); ++depth) needed[depth][i] = (kth[depth] - expected) / spread;
  }
}

ProbeTrial::ProbeTrial(const ClusterLayout& layout, size_t dim)
    : layout_(layout), dim_(dim), stride_(code_stride(dim)), codes_(kBatch * stride_), scores_(kBatch * kTile),
      cosines_(kBatch * layout.blocks.size()),
      sums_(kBatch, ScoreSums(layout.blocks.size())) {}

void ProbeTrial::run(const float* queries, size_t batch, const uint32_t* selves, TriedQuery* tried) {
  for (size_t q = 0; q < batch; ++q) {
    scales_[q] = kernels().quantize_query(queries + q * dim_, dim_, codes_.data() + q * stride_, &offsets_[q]);
    near_[q].reset(ProbeReach::kDepths.back() + 1, 0.0f);
    sums_[q].reset();
  }
  for (size_t first = 0; first < layout_.size; first += kTile) {
    const size_t count = std::min(kTile, layout_.size - first);
    score(layout_.rows, first, count, batch, scores_.data());
    for (size_t q = 0; q < batch; ++q) {
      offer(near_[q], scores_.data() + q * count, first, count);
      sums_[q].add(layout_, first, {scores_.data() + q * count, count});
    }
  }
  score(layout_.centroids, 0, layout_.blocks.size(), batch, cosines_.data());
  for (size_t q = 0; q < batch; ++q) judge(q, selves[q], tried[q]);
}

void ProbeTrial::score(const CodeRows& rows, size_t first, size_t count, size_t batch, float* out) const {
  kernels().code_rows_batch(codes_.data(), offsets_.data(), batch, rows.codes(first), stride_, rows.scales() + first, count,
                            stride_, out);
}

void ProbeTrial::offer(NearBest& near, const float* scores, size_t first, size_t count) {
  const size_t selected = kernels().select_above(scores, count, near.threshold(), selected_.data());
  for (size_t i = 0; i < selected; ++i) near.offer(scores[selected_[i]], static_cast<Slot>(first + selected_[i]));
}

void ProbeTrial::judge(size_t q, uint32_t self, TriedQuery& tried) {
  near_[q].prune();
  best_.assign(near_[q].items().begin(), near_[q].items().end());
  std::erase_if(best_, [self](const Candidate& hit) { return hit.slot == self; });
  std::sort(best_.begin(), best_.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });

  const size_t blocks = layout_.blocks.size();
  for (size_t b = 0; b < blocks; ++b) tried.cosines[b] = std::clamp(cosines_[q * blocks + b] * scales_[q], -1.0f, 1.0f);
  tried.scatter = sums_[q].scatter(layout_, tried.cosines, scales_[q], order_);
  tried.found = std::min(best_.size(), tried.best.size());
  for (size_t i = 0; i < tried.found; ++i) tried.best[i] = best_[i].slot;
  for (size_t depth = 0; depth < ProbeReach::kDepths.size(); ++depth) {
    const size_t k = tried.hits(depth);
    if (k > 0) tried.kth[depth] = best_[k - 1].score * scales_[q];
  }
}

}  // namespace memspan
