#include "query/fusion.hpp"

#include <algorithm>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

constexpr float kRankOffset = 60.0f;  // of reciprocal rank fusion, as published

float scale(float score, float worst, float best) { return best > worst ? (score - worst) / (best - worst) : 1.0f; }

}  // namespace

std::vector<FusedHit> fuse(const std::array<std::vector<Candidate>, kViewCount>& candidates, Fusion fusion,
                           const std::array<float, kViewCount>& weights) {
  std::vector<FusedHit> hits;
  HashMap<Slot, size_t> position;
  for (size_t v = 0; v < kViewCount; ++v) {
    const std::vector<Candidate>& list = candidates[v];
    for (size_t i = 0; i < list.size(); ++i) {
      const auto [entry, is_new] = position.emplace(list[i].slot, hits.size());
      if (is_new) hits.push_back({.slot = list[i].slot});
      FusedHit& hit = hits[entry->second];
      const auto rank = static_cast<uint32_t>(i + 1);
      hit.views[v] = {rank, list[i].score};
      switch (fusion) {
        case Fusion::rrf:
          hit.score += weights[v] / (kRankOffset + static_cast<float>(rank));
          break;
        case Fusion::union_:
          hit.score = std::max(hit.score, 1.0f / static_cast<float>(rank));
          break;
        case Fusion::weighted:
          hit.score += weights[v] * scale(list[i].score, list.back().score, list.front().score);
          break;
      }
    }
  }
  return hits;
}

void rank(std::vector<FusedHit>& hits, size_t k, Recency recency) {
  const auto better = [recency](const FusedHit& a, const FusedHit& b) {
    if (a.score != b.score) return a.score > b.score;
    return recency(a.slot, b.slot);
  };
  const size_t kept = std::min(k, hits.size());
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(), better);
  hits.resize(kept);
}

}  // namespace memspan
