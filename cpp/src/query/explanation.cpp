#include "query/explanation.hpp"

#include <algorithm>

#include "query/refusals.hpp"
#include "ranking/learned.hpp"
#include "timeline/intervals.hpp"

namespace memspan {
namespace {

HitExplanation explain_hit(const FusedHit& hit, const UserColumns& user, const SearchScratch& scratch) {
  const PreparedQuery& prepared = scratch.prepared;
  const BoostingTags& boosting = scratch.boosting;
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
  if (prepared.query->fusion == Fusion::learned && !prepared.listing() && !hit.backfilled) {
    ScoreParts score = explain_score(user, scratch, hit.slot);
    explanation.features = std::move(score.features);
    explanation.net = score.net;
  }
  return explanation;
}

bool are_tied(const FusedHit& a, const FusedHit& b) { return a.score == b.score && a.backfilled == b.backfilled; }

std::vector<std::pair<std::string, float>> with_names(const std::vector<std::pair<TagId, float>>& tags,
                                                      const UserColumns& user) {
  std::vector<std::pair<std::string, float>> named;
  for (const auto& [tag, weight] : tags) named.emplace_back(user.tags.name(tag), weight);
  return named;
}

}  // namespace

SearchExplanation explain(const UserColumns& user, const SearchScratch& scratch, const SemanticReading& reading) {
  const PreparedQuery& prepared = scratch.prepared;
  SearchExplanation explanation;
  explanation.records = static_cast<uint32_t>(user.live_count());
  explanation.admissible = static_cast<uint32_t>(scratch.admission.exact_count());
  find_refusals(user, prepared, explanation.refused);
  explanation.routed = with_names(scratch.boosting.routed, user);
  explanation.boosting_tags = with_names(scratch.boosting.weights, user);
  for (size_t i = 0; i < prepared.tokens.size(); ++i) explanation.tokens.emplace_back(prepared.tokens[i]);
  const bool learned = prepared.query->fusion == Fusion::learned && !prepared.listing();
  for (size_t place = 0; place < scratch.hits.size(); ++place) {
    explanation.hits.push_back(explain_hit(scratch.hits[place], user, scratch));
    explanation.hits.back().tied = (place > 0 && are_tied(scratch.hits[place - 1], scratch.hits[place])) ||
                                   (place + 1 < scratch.hits.size() && are_tied(scratch.hits[place], scratch.hits[place + 1]));
    if (learned) explanation.hits.back().selection = explain_selection(user, scratch, place);
  }
  if (learned) explanation.repeats = explain_repeats(user, scratch);
  explanation.depth = static_cast<uint32_t>(prepared.depth);
  explanation.scan = reading.scan;
  explanation.rows_read = reading.rows_read;
  explanation.short_rows_read = reading.short_rows_read;
  explanation.blocks = reading.blocks;
  explanation.blocks_probed = reading.blocks_probed;
  explanation.rescored = reading.rescored;
  return explanation;
}

}  // namespace memspan
