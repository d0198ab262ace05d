#include "ranking/learned.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace memspan {
namespace {

FeatureSource source_of(const UserColumns& user, const SearchScratch& scratch) {
  const RankingScratch& own = RankingScratch::of_thread();
  return {user, scratch.prepared, scratch.candidates, own.pool, own.evidence};
}

}  // namespace

RankingScratch& RankingScratch::of_thread() {
  thread_local RankingScratch scratch;
  return scratch;
}

void RankingScratch::trim() {
  if (pool.bytes() + evidence.bytes() <= SearchScratch::kMostBytes) return;
  std::destroy_at(this);
  std::construct_at(this);
}

void rank_learned(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch) {
  RankingScratch& own = RankingScratch::of_thread();
  own.pool.gather(scratch.candidates, user, scratch.admission);
  own.evidence.gather(user, scratch.prepared, config, scratch.admission, scratch.candidates, own.pool);
  const FeatureRow& weights = scratch.prepared.query->ranking->weights;
  const FeatureSource source = source_of(user, scratch);
  FeatureRow row;
  scratch.hits.clear();
  scratch.hits.reserve(own.pool.size());
  for (RankingPool::Position at = 0; at < own.pool.size(); ++at) {
    fill_features(source, at, row);
    float score = 0.0f;
    for (size_t f = 0; f < kRankFeatures; ++f) score += weights[f] * row[f];
    FusedHit& hit = scratch.hits.emplace_back();
    hit.slot = own.pool.slots()[at];
    hit.score = score;
    hit.ranks = own.pool.ranks(at);
  }
}

std::vector<std::pair<RankFeature, float>> explain_score(const UserColumns& user, const SearchScratch& scratch,
                                                         Slot slot) {
  std::vector<std::pair<RankFeature, float>> parts;
  const RankingPool::Position at = RankingScratch::of_thread().pool.find(slot);
  if (at == RankingPool::kNobody) return parts;  // it only fills up to k
  FeatureRow row;
  fill_features(source_of(user, scratch), at, row);
  for (size_t f = 0; f < kRankFeatures; ++f) {
    const float part = row[f] * scratch.prepared.query->ranking->weights[f];
    if (part != 0.0f) parts.emplace_back(static_cast<RankFeature>(f), part);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  return parts;
}

void list_features(const UserColumns& user, const SearchScratch& scratch, std::vector<FeatureRow>& rows) {
  const FeatureSource source = source_of(user, scratch);
  rows.resize(source.pool.size());
  for (RankingPool::Position at = 0; at < source.pool.size(); ++at) fill_features(source, at, rows[at]);
}

}  // namespace memspan
