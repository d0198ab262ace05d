#include "query/executor.hpp"

#include <algorithm>

#include "base/prefetch.hpp"
#include "query/column_filters.hpp"
#include "query/explanation.hpp"
#include "query/listing.hpp"
#include "query/neighbors.hpp"
#include "query/views.hpp"
#include "ranking/learned.hpp"

namespace memspan {
namespace {

// A listing that needs neither the number of admissible records nor a list of candidates. False if there is another way to go.
bool list(const UserColumns& user, SearchScratch& scratch, const UseCounter& uses, std::vector<Hit>& hits) {
  const PreparedQuery& prepared = scratch.prepared;
  const Query& query = *prepared.query;
  if (!prepared.listing() || query.explain || query.features || !query.exclude.empty()) return false;
  if (!prepared.require_tags.empty() || ColumnFilters(user, prepared).any()) {
    return list_by_filters(user, prepared, scratch.newest, hits, uses);
  }
  list_by_time(user, prepared.intervals, prepared.depth, hits, uses);
  return true;
}

void list_newest(SearchScratch& scratch) {
  scratch.admission.newest(scratch.prepared.depth, scratch.newest);
  std::vector<Candidate>& listed = scratch.candidates[static_cast<size_t>(View::symbolic)];
  for (Slot slot : scratch.newest) listed.push_back({0.0f, slot});
}

SemanticReading run_views(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch) {
  const PreparedQuery& prepared = scratch.prepared;
  const Admission& admission = scratch.admission;
  SemanticReading reading;
  for (auto& list : scratch.candidates) list.clear();
  scratch.boosting.clear();
  scratch.hinted.clear();
  if (prepared.listing()) {
    list_newest(scratch);
    return reading;
  }
  const auto list_of = [&](View view) -> std::vector<Candidate>& {
    return scratch.candidates[static_cast<size_t>(view)];
  };
  if (scratch.scanned != nullptr) {
    list_of(View::semantic) = scratch.scanned->best;
    reading = scratch.scanned->reading;
  } else if (prepared.has(View::semantic)) {
    reading = search_semantic(user, prepared, admission, prepared.depth, list_of(View::semantic));
  }
  if (prepared.has(View::lexical)) search_lexical(user, prepared, config, admission, list_of(View::lexical));
  if (prepared.has(View::symbolic)) {
    scratch.boosting.find(user, prepared);
    search_symbolic(user, prepared, scratch.boosting, admission, list_of(View::symbolic));
  }
  return reading;
}

void join_views(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch) {
  const PreparedQuery& prepared = scratch.prepared;
  const Query& query = *prepared.query;
  const bool own_scores = prepared.listing() || (prepared.single_view() && query.fusion == Fusion::rrf);
  const bool boosted = query.neighbors > 0 && !prepared.listing();
  if (own_scores) {
    const auto found = std::find(prepared.views.begin(), prepared.views.end(), true);
    const auto view = static_cast<size_t>(found - prepared.views.begin());
    keep_scores(static_cast<View>(view), scratch.candidates[view], scratch.hits);
  } else if (query.fusion == Fusion::learned) {
    scratch.hinted.find(user, prepared, scratch.admission);
    rank_learned(user, config, scratch);
  } else {
    fuse(scratch.candidates, query.fusion, query.weights, user.slots(), scratch.positions, scratch.hits);
  }
  if (boosted) boost_neighbors(scratch.hits, query.neighbors, user, scratch.admission, scratch.positions);
  if (own_scores && !boosted) {
    if (scratch.hits.size() > query.k) scratch.hits.resize(query.k);  // in order already
  } else if (query.fusion == Fusion::learned) {
    select_learned(user, scratch, query.k);
  } else {
    rank(scratch.hits, query.k, user.recency());
  }
}

// k records come back whenever k admissible ones exist: those that no view found follow, newest first, those of times that
// the question speaks of before all others. Their score is 0, or that of the last one found where that is less: scores
// never rise along the list.
void backfill(SearchScratch& scratch) {
  std::vector<FusedHit>& hits = scratch.hits;
  const size_t k = scratch.prepared.query->k;
  const size_t found = hits.size();
  if (found >= k || found >= scratch.admission.exact_count()) return;
  scratch.positions.start(k);
  float lowest = 0.0f;
  for (size_t i = 0; i < found; ++i) {
    scratch.positions.find_or_add(hits[i].slot, static_cast<uint32_t>(i));
    lowest = std::min(lowest, hits[i].score);
  }
  const auto fill_from = [&](const Admission& admission) {
    // At most hits.size() of the k newest are hits already.
    admission.newest(k, scratch.newest);
    for (Slot slot : scratch.newest) {
      if (hits.size() == k) break;
      const auto next = static_cast<uint32_t>(hits.size());
      if (scratch.positions.find_or_add(slot, next) != next) continue;
      FusedHit& hit = hits.emplace_back();
      hit.slot = slot;
      hit.score = lowest;
      hit.backfilled = true;
    }
  };
  if (!scratch.hinted.slots().empty()) fill_from(scratch.hinted.admission());
  fill_from(scratch.admission);
}

void write_hits(const UserColumns& user, const SearchScratch& scratch, const UseCounter& uses, std::vector<Hit>& out) {
  // The hits' columns lie anywhere: memory is asked for so many hits ahead.
  constexpr size_t kAhead = 16;
  out.resize(scratch.hits.size());
  const auto prefetch_columns = [&](size_t i) {
    const Slot slot = scratch.hits[i].slot;
    user.ids.prefetch_place(slot);
    prefetch_line(&user.ats[slot]);
    uses.prefetch(slot);
  };
  const auto prefetch_text = [&](size_t i) { user.ids.prefetch_text(scratch.hits[i].slot); };
  for (size_t i = 0; i < std::min(2 * kAhead, out.size()); ++i) prefetch_columns(i);
  for (size_t i = 0; i < std::min(kAhead, out.size()); ++i) prefetch_text(i);
  for (size_t i = 0; i < out.size(); ++i) {
    if (i + 2 * kAhead < out.size()) prefetch_columns(i + 2 * kAhead);
    if (i + kAhead < out.size()) prefetch_text(i + kAhead);
    const FusedHit& hit = scratch.hits[i];
    out[i].id = user.ids[hit.slot];
    out[i].at = user.ats[hit.slot];
    out[i].score = hit.score;
    uses.note(hit.slot);
    for (size_t v = 0; v < kViewCount; ++v) {
      const uint32_t rank = hit.ranks[v];
      out[i].views[v] = {rank, rank != 0 ? scratch.candidates[v][rank - 1].score : 0.0f};
    }
  }
}

}  // namespace

void execute(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch, SearchResult& out) {
  const PreparedQuery& prepared = scratch.prepared;
  const UseCounter uses(user.uses, scratch.track);
  if (list(user, scratch, uses, out.hits)) {
    out.features.reset();
    out.explanation.reset();
    return;
  }
  scratch.admission.admit(user, prepared);
  const SemanticReading reading = run_views(user, config, scratch);
  join_views(user, config, scratch);
  if (prepared.has(View::semantic)) backfill(scratch);
  write_hits(user, scratch, uses, out.hits);
  if (!prepared.query->features) {
    out.features.reset();
  } else {
    if (!out.features) out.features.emplace();
    list_hit_features(user, scratch, *out.features);
  }
  out.explanation.reset();
  if (prepared.query->explain) out.explanation = explain(user, scratch, reading);
}

}  // namespace memspan
