#include "query/executor.hpp"

#include <algorithm>
#include <array>

#include "base/hash_map.hpp"
#include "query/admission.hpp"
#include "query/fusion.hpp"
#include "query/neighbors.hpp"
#include "query/views.hpp"
#include "timeline/intervals.hpp"

namespace memspan {
namespace {

// k records come back whenever k admissible ones exist: those that no view found follow, newest first.
void backfill(std::vector<FusedHit>& hits, size_t k, const UserColumns& user, const Admission& admission) {
  if (hits.size() >= k || hits.size() >= admission.count) return;
  HashSet<Slot> present;
  for (const FusedHit& hit : hits) present.insert(hit.slot);
  const Timeline::Entries& entries = user.timeline.entries();
  for (auto entry = entries.end(); entry != entries.begin() && hits.size() < k;) {
    const Slot slot = (--entry)->slot;
    if (!admission.admits(slot) || present.contains(slot)) continue;
    hits.push_back({.slot = slot});
    hits.back().backfilled = true;
  }
}

// One view alone needs no fusion: its own score says more.
void keep_own_scores(std::vector<FusedHit>& hits) {
  for (FusedHit& hit : hits) {
    for (const ViewScore& view : hit.views) hit.score = view.rank != 0 ? view.score : hit.score;
  }
}

HitExplanation explain_hit(const FusedHit& hit, const UserColumns& user, const PreparedQuery& prepared,
                           const BoostingTags& boosting) {
  HitExplanation explanation;
  for (TagId tag : user.tags.tags_of(hit.slot)) {
    const auto is_boosting = [tag](const auto& entry) { return entry.first == tag; };
    if (std::any_of(boosting.weights.begin(), boosting.weights.end(), is_boosting)) {
      explanation.tags.emplace_back(user.tags.name(tag));
    }
  }
  if (prepared.intervals) {
    if (const Interval* interval = find_interval(*prepared.intervals, user.ats[hit.slot])) {
      explanation.interval = *interval;
    }
  }
  if (hit.neighbor_of != kNoSlot) explanation.neighbor_of = user.ids[hit.neighbor_of];
  explanation.neighbor_boost = hit.neighbor_boost;
  explanation.backfilled = hit.backfilled;
  return explanation;
}

std::vector<std::pair<std::string, float>> with_names(const std::vector<std::pair<TagId, float>>& tags,
                                                      const UserColumns& user) {
  std::vector<std::pair<std::string, float>> named;
  for (const auto& [tag, weight] : tags) named.emplace_back(user.tags.name(tag), weight);
  return named;
}

}  // namespace

SearchResult execute(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config) {
  const Query& query = *prepared.query;
  Admission admission = admit(user, prepared);

  std::array<std::vector<Candidate>, kViewCount> candidates;
  BoostingTags boosting;
  const char* scan = "none";
  if (prepared.has(View::semantic)) {
    SemanticCandidates semantic = search_semantic(user, prepared, admission);
    candidates[static_cast<size_t>(View::semantic)] = std::move(semantic.best);
    scan = semantic.scan;
  }
  if (prepared.has(View::lexical)) {
    search_lexical(user, prepared, config, admission, candidates[static_cast<size_t>(View::lexical)]);
  }
  if (prepared.has(View::symbolic)) {
    boosting = find_boosting_tags(user, prepared);
    candidates[static_cast<size_t>(View::symbolic)] = search_symbolic(user, prepared, boosting, admission);
  }

  std::vector<FusedHit> hits = fuse(candidates, query.fusion, query.weights);
  const bool single = std::count(prepared.views.begin(), prepared.views.end(), true) == 1;
  const bool listing = single && prepared.has(View::symbolic) && query.tags.empty() && query.route == 0;
  if (listing || (single && query.fusion == Fusion::rrf)) keep_own_scores(hits);
  if (query.neighbors > 0 && !listing) boost_neighbors(hits, query.neighbors, user, admission);
  rank(hits, query.k, user.recency());
  if (prepared.has(View::semantic)) backfill(hits, query.k, user, admission);

  SearchResult result;
  result.hits.reserve(hits.size());
  for (const FusedHit& hit : hits) {
    result.hits.push_back({std::string(user.ids[hit.slot]), user.ats[hit.slot], hit.score, hit.views});
  }
  if (!query.explain) return result;

  SearchExplanation& explanation = result.explanation.emplace();
  explanation.records = static_cast<uint32_t>(user.live_count());
  explanation.admissible = static_cast<uint32_t>(admission.count);
  explanation.refused = std::move(admission.refused);
  explanation.routed = with_names(boosting.routed, user);
  explanation.boosting_tags = with_names(boosting.weights, user);
  for (size_t i = 0; i < prepared.tokens.size(); ++i) explanation.tokens.emplace_back(prepared.tokens[i]);
  for (const FusedHit& hit : hits) explanation.hits.push_back(explain_hit(hit, user, prepared, boosting));
  explanation.scan = scan;
  explanation.depth = static_cast<uint32_t>(prepared.depth);
  return result;
}

}  // namespace memspan
