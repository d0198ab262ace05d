#include "ranking/learned.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "memspan/ranking_net.hpp"
#include "simd/kernels.hpp"

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
  if (pool.bytes() + evidence.bytes() + selection.bytes() <= SearchScratch::kMostBytes) return;
  std::destroy_at(this);
  std::construct_at(this);
}

void rank_learned(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch) {
  RankingScratch& own = RankingScratch::of_thread();
  own.pool.gather(scratch.candidates, scratch.hinted.slots(), user, scratch.admission);
  own.evidence.gather(user, scratch.prepared, config, scratch.admission, scratch.candidates, own.pool);
  const FeatureRow& weights = scratch.prepared.query->ranking->weights;
  const RankingNet* const net = scratch.prepared.query->ranking->net.get();
  const FeatureSource source = source_of(user, scratch);
  constexpr size_t kTogether = 8;
  std::array<FeatureRow, kTogether> rows;
  std::array<float, kTogether> scores;
  const size_t size = own.pool.size();
  scratch.hits.resize(size);
  for (size_t first = 0; first < size; first += kTogether) {
    const size_t count = std::min(kTogether, size - first);
    for (size_t i = 0; i < count; ++i) {
      fill_features(source, static_cast<RankingPool::Position>(first + i), rows[i]);
    }
    kernels().dot_rows(weights.data(), rows.front().data(), kRankFeatures, count, kRankFeatures, scores.data());
    if (net != nullptr) net->add_to(std::span(rows).first(count), std::span(scores).first(count));
    for (size_t i = 0; i < count; ++i) {
      const auto at = static_cast<RankingPool::Position>(first + i);
      scratch.hits[at] = {.slot = own.pool.slots()[at], .score = scores[i], .ranks = own.pool.ranks(at)};
    }
  }
}

void select_learned(const UserColumns& user, SearchScratch& scratch, size_t k) {
  RankingScratch& own = RankingScratch::of_thread();
  const Selection& wanted = scratch.prepared.query->ranking->selection;
  if (wanted.plain()) {
    rank(scratch.hits, k, user.recency());
  } else {
    own.selection.choose(wanted, user, own.pool, k, scratch.hits);
    if (scratch.prepared.query->explain) own.selection.count_ranks(user);
  }
}

ScoreParts explain_score(const UserColumns& user, const SearchScratch& scratch, Slot slot) {
  ScoreParts score;
  const RankingPool::Position at = RankingScratch::of_thread().pool.find(slot);
  if (at == RankingPool::kNobody) return score;  // it only fills up to k
  const Ranking& ranking = *scratch.prepared.query->ranking;
  FeatureRow row;
  fill_features(source_of(user, scratch), at, row);
  FeatureRow by_net = {};
  if (ranking.net != nullptr) {
    by_net = ranking.net->parts(row);
    score.net = (*ranking.net)(row);
  }
  for (size_t f = 0; f < kRankFeatures; ++f) {
    const float part = row[f] * ranking.weights[f] + by_net[f];
    if (part != 0.0f) score.features.emplace_back(static_cast<RankFeature>(f), part);
  }
  std::stable_sort(score.features.begin(), score.features.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  return score;
}

std::optional<HitSelection> explain_selection(const UserColumns& user, const SearchScratch& scratch, size_t place) {
  const RankingSelection& selection = RankingScratch::of_thread().selection;
  if (scratch.prepared.query->ranking->selection.plain() || place >= selection.chosen().size()) return std::nullopt;
  const RankingSelection::Choice& choice = selection.chosen()[place];
  return HitSelection{.rank = choice.rank, .alike = choice.alike, .beside = choice.beside, .covers = choice.covers,
                      .repeats = choice.repeats == kNoSlot ? std::string() : std::string(user.ids[choice.repeats])};
}

std::vector<std::pair<std::string, std::string>> explain_repeats(const UserColumns& user,
                                                                 const SearchScratch& scratch) {
  std::vector<std::pair<std::string, std::string>> repeats;
  if (scratch.prepared.query->ranking->selection.plain()) return repeats;
  for (const auto& [slot, other] : RankingScratch::of_thread().selection.left_out()) {
    repeats.emplace_back(user.ids[slot], user.ids[other]);
  }
  return repeats;
}

void list_hit_features(const UserColumns& user, const SearchScratch& scratch, std::vector<FeatureRow>& rows) {
  const FeatureSource source = source_of(user, scratch);
  const bool listing = scratch.prepared.listing();  // the pool is of an earlier search then
  rows.resize(scratch.hits.size());
  for (size_t place = 0; place < rows.size(); ++place) {
    const RankingPool::Position at = listing ? RankingPool::kNobody : source.pool.find(scratch.hits[place].slot);
    if (at == RankingPool::kNobody) {
      rows[place].fill(std::numeric_limits<float>::quiet_NaN());
    } else {
      fill_features(source, at, rows[place]);
    }
  }
}

void list_features(const UserColumns& user, const SearchScratch& scratch, std::vector<FeatureRow>& rows) {
  const FeatureSource source = source_of(user, scratch);
  rows.resize(source.pool.size());
  for (RankingPool::Position at = 0; at < source.pool.size(); ++at) fill_features(source, at, rows[at]);
}

}  // namespace memspan
