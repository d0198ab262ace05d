#include "vectors/probe_trial.hpp"

#include <algorithm>

namespace memspan {

ProbeTrial::ProbeTrial(const ClusterLayout& layout, size_t dim)
    : layout_(layout), dim_(dim), stride_(code_stride(dim)), codes_(kBatch * stride_), scores_(kBatch * kTile),
      cosines_(kBatch * layout.blocks.size()) {}

void ProbeTrial::run(const float* queries, size_t batch, const uint32_t* selves, TriedQuery* tried) {
  for (size_t q = 0; q < batch; ++q) {
    scales_[q] = kernels().quantize_query(queries + q * dim_, dim_, codes_.data() + q * stride_, &offsets_[q]);
    near_[q].reset(ProbeReach::kDepths.back() + 1, 0.0f);
  }
  for (size_t first = 0; first < layout_.size; first += kTile) {
    const size_t count = std::min(kTile, layout_.size - first);
    score(layout_.rows, first, count, batch, scores_.data());
    for (size_t q = 0; q < batch; ++q) offer(near_[q], scores_.data() + q * count, first, count);
  }
  score(layout_.centroids, 0, layout_.blocks.size(), batch, cosines_.data());
  for (size_t q = 0; q < batch; ++q) {
    judge(near_[q], scales_[q], cosines_.data() + q * layout_.blocks.size(), selves[q], tried[q]);
  }
}

void ProbeTrial::score(const CodeRows& rows, size_t first, size_t count, size_t batch, float* out) const {
  kernels().code_rows_batch(codes_.data(), offsets_.data(), batch, rows.codes(first), stride_, rows.scales() + first, count,
                            stride_, out);
}

void ProbeTrial::offer(NearBest& near, const float* scores, size_t first, size_t count) {
  const size_t selected = kernels().select_above(scores, count, near.threshold(), selected_.data());
  for (size_t i = 0; i < selected; ++i) near.offer(scores[selected_[i]], static_cast<Slot>(first + selected_[i]));
}

void ProbeTrial::judge(NearBest& near, float scale, const float* cosines, uint32_t self, TriedQuery& tried) {
  near.prune();
  best_.assign(near.items().begin(), near.items().end());
  std::erase_if(best_, [self](const Candidate& hit) { return hit.slot == self; });
  std::sort(best_.begin(), best_.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });

  for (size_t b = 0; b < layout_.blocks.size(); ++b) {
    const float cosine = std::clamp(cosines[b] * scale, -1.0f, 1.0f);
    tried.means[b] = cosine * layout_.means[b];
    tried.spreads[b] = layout_.spread(b, cosine);
  }
  tried.found = std::min(best_.size(), tried.best.size());
  for (size_t i = 0; i < tried.found; ++i) tried.best[i] = best_[i].slot;
  for (size_t depth = 0; depth < ProbeReach::kDepths.size(); ++depth) {
    const size_t k = tried.hits(depth);
    if (k == 0) continue;
    tried.kth[depth] = best_[k - 1].score * scale;
    for (size_t i = 0; i < k; ++i) {
      const size_t block = layout_.block_of(best_[i].slot);
      tried.needed[depth][i] = (tried.kth[depth] - tried.means[block]) / tried.spreads[block];
    }
  }
}

}  // namespace memspan
