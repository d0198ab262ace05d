#include "query/fusion.hpp"

#include <algorithm>

namespace memspan {
namespace {

constexpr float kRankOffset = 60.0f;  // of reciprocal rank fusion, as published

float scale(float score, float worst, float best) { return best > worst ? (score - worst) / (best - worst) : 1.0f; }

// Calls give(i) for what a list's candidate i adds, and add(score so far, gift) for what both make.
template <typename Give, typename Add>
void join(const CandidateLists& candidates, size_t view, SlotTable& positions, std::vector<FusedHit>& hits, Give give,
          Add add) {
  const std::vector<Candidate>& list = candidates[view];
  for (size_t i = 0; i < list.size(); ++i) {
    const auto last = static_cast<uint32_t>(hits.size());
    const uint32_t position = positions.find_or_add(list[i].slot, last);
    if (position == last) hits.push_back({.slot = list[i].slot});
    FusedHit& hit = hits[position];
    hit.ranks[view] = static_cast<uint32_t>(i + 1);
    hit.score = add(hit.score, give(i));
  }
}

}  // namespace

void fuse(const CandidateLists& candidates, Fusion fusion, const std::array<float, kViewCount>& weights,
          size_t slots, SlotTable& positions, std::vector<FusedHit>& hits) {
  size_t total = 0;
  for (const auto& list : candidates) total += list.size();
  hits.clear();
  hits.reserve(total);
  positions.start(total, slots);
  const auto sum = [](float a, float b) { return a + b; };
  const auto larger = [](float a, float b) { return std::max(a, b); };
  for (size_t v = 0; v < kViewCount; ++v) {
    const std::vector<Candidate>& list = candidates[v];
    if (list.empty()) continue;
    switch (fusion) {
      case Fusion::rrf: {
        const auto give = [&](size_t i) { return weights[v] / (kRankOffset + static_cast<float>(i + 1)); };
        join(candidates, v, positions, hits, give, sum);
        break;
      }
      case Fusion::union_: {
        const auto give = [](size_t i) { return 1.0f / static_cast<float>(i + 1); };
        join(candidates, v, positions, hits, give, larger);
        break;
      }
      case Fusion::weighted: {
        const float best = list.front().score;
        const float worst = list.back().score;
        const auto give = [&](size_t i) { return weights[v] * scale(list[i].score, worst, best); };
        join(candidates, v, positions, hits, give, sum);
        break;
      }
      case Fusion::learned:  // ranking/learned.hpp: not by the lists alone
        return;
    }
  }
}

void keep_scores(View view, std::span<const Candidate> candidates, std::vector<FusedHit>& hits) {
  hits.clear();
  for (const Candidate& candidate : candidates) {
    FusedHit& hit = hits.emplace_back();
    hit.slot = candidate.slot;
    hit.score = candidate.score;
    hit.ranks[static_cast<size_t>(view)] = static_cast<uint32_t>(hits.size());
  }
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
