// Ranks what the views found, and what stands beside it, by weights that were learned from questions with known answers.
//
// Learning to rank by a linear model, with a small net beside it: the weights come from a softmax regression over all
// records of a question (the listwise loss of Cao et al., ICML 2007), done in Python (memspan/fitting). Not in the papers that memspan implements,
// whose fusion is by rank.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/scratch.hpp"
#include "ranking/evidence.hpp"
#include "ranking/features.hpp"
#include "ranking/pool.hpp"
#include "ranking/selection.hpp"

namespace memspan {

// Memory that a thread keeps between searches.
struct RankingScratch {
  RankingPool pool;
  RankingEvidence evidence;
  RankingSelection selection;

  static RankingScratch& of_thread();
  // Lets everything go if a search made it grow beyond SearchScratch::kMostBytes.
  void trim();
};

// Fills `scratch.hits` with the whole pool, in no particular order, after the views have filled `scratch.candidates`.
void rank_learned(const UserColumns& user, const IndexConfig& config, SearchScratch& scratch);

// Of those, the k that come back, in order.
void select_learned(const UserColumns& user, SearchScratch& scratch, size_t k);

// What the score of a record is made of.
struct ScoreParts {
  std::vector<std::pair<RankFeature, float>> features;  // what each adds, the largest first, without those that add nothing
  float net = 0.0f;                                     // what of it is by the net
};

// Of a record of the pool; nothing of another one.
ScoreParts explain_score(const UserColumns& user, const SearchScratch& scratch, Slot slot);

// How the hit at that place was chosen; nothing if the best were, or if it only fills up to k.
std::optional<HitSelection> explain_selection(const UserColumns& user, const SearchScratch& scratch, size_t place);
// The records left out because they repeat one that came, and which.
std::vector<std::pair<std::string, std::string>> explain_repeats(const UserColumns& user,
                                                                 const SearchScratch& scratch);

// The features of the hits, parallel to them; NaN of those that are not in the pool.
void list_hit_features(const UserColumns& user, const SearchScratch& scratch, std::vector<FeatureRow>& rows);

// The features of the whole pool, in its order.
void list_features(const UserColumns& user, const SearchScratch& scratch, std::vector<FeatureRow>& rows);

}  // namespace memspan
