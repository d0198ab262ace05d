// A search and its answer.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memspan/ranking.hpp"
#include "memspan/types.hpp"

namespace memspan {

// One search within one user. Filters admit or refuse a record; boosts only move it up.
struct Query {
  std::string user;

  // What to look for: a view without its query takes no part.
  std::optional<std::string> text;   // lexical
  std::vector<float> embedding;      // semantic; empty: none
  std::vector<std::string> tags;     // symbolic: these tags and their descendants boost
  uint32_t route = 0;                // symbolic: so many tags nearest to `embedding` boost as well
  uint32_t tag_depth = 1;            // how far down the hierarchy a tag reaches; half the weight with each step
  std::optional<std::vector<View>> views;  // nothing: every view that has a query

  // Filters.
  std::optional<std::vector<Interval>> between;
  std::optional<std::vector<Kind>> kinds;  // nothing: every kind but vault
  std::vector<std::string> require_tags;
  std::string where;  // JSON text; empty: none
  std::vector<std::string> exclude;
  // Two axes of time. With neither: what is believed now. Expired records never come.
  std::optional<Micros> as_of;     // only what was believed then: recorded_at <= as_of < retired_at
  std::optional<Micros> valid_at;  // only what held then: at <= valid_at < until, as is known now or was as of as_of

  uint32_t k = 10;
  Fusion fusion = Fusion::rrf;
  std::array<float, kViewCount> weights = {1.0f, 1.0f, 1.0f};
  std::shared_ptr<const Ranking> ranking;  // for Fusion::learned
  uint32_t depth = 0;      // candidates taken from each view; 0: max(100, 4 k); learned max(200, 4 k)
  uint32_t neighbors = 0;  // reach of a hit's boost over its session, in turns
  bool exact = false;      // no approximation anywhere
  float recall = 0.995f;   // share of the exact top k that approximate search must find on average; > 0, at most 1
  bool explain = false;
  bool features = false;   // of Fusion::learned: also what the ranking sees in every hit
  bool track = true;       // count the uses of what comes back, if the index counts (Index::track_uses)
};

// Rank (from 1; 0: not found by this view) and score within one view.
struct ViewScore {
  uint32_t rank = 0;
  float score = 0.0f;
};

// How a record came to be chosen (Selection in memspan/ranking.hpp).
struct HitSelection {
  uint32_t rank = 0;      // by its score alone, from 1
  float alike = 0.0f;     // taken off the score for being like one chosen before
  float beside = 0.0f;    // and for standing beside one in time
  bool covers = false;    // better ones stood back, so that its session is there
  std::string repeats;    // it says what this one says, and came because there were not enough others; empty: none
};

// Why a hit is here.
struct HitExplanation {
  std::vector<std::string> tags;         // boosting tags that the record carries
  std::optional<Interval> interval;      // the merged interval of `between` that it lies in
  std::string neighbor_of;               // the hit whose session neighbour it is; empty: none
  float neighbor_boost = 0.0f;           // part of the score that came from there
  bool backfilled = false;               // no view scored it; it fills up to k
  bool tied = false;                     // a hit beside it has the same score: the newer one came first
  std::vector<std::pair<RankFeature, float>> features;  // what each added to a learned score, the largest first;
  float net = 0.0f;                                     // what of it came by the net
  std::optional<HitSelection> selection;                // where a learned ranking does not just take the best k
};

struct Hit {
  std::string id;
  Micros at = 0;
  float score = 0.0f;
  std::array<ViewScore, kViewCount> views;
};

// The filters in the order in which they are applied; each counts what it refused of what the ones before let through.
enum class Filter : uint8_t { between, kinds, vault, require_tags, retired, expired, as_of, valid_at, where, exclude };
inline constexpr std::array<std::string_view, 10> kFilterNames = {
    "between", "kinds", "vault", "require_tags", "retired", "expired", "as_of", "valid_at", "where", "exclude"};

struct Refusal {
  uint32_t count = 0;
  std::vector<std::string> ids;  // the newest few
};

struct SearchExplanation {
  uint32_t records = 0;     // of the user
  uint32_t admissible = 0;  // after the filters
  std::array<Refusal, kFilterNames.size()> refused;
  std::vector<std::pair<std::string, float>> routed;         // tags chosen by the router, with cosine
  std::vector<std::pair<std::string, float>> boosting_tags;  // every tag that boosts, with its weight
  std::vector<std::string> tokens;                           // of the lexical query
  std::vector<HitExplanation> hits;                          // parallel to SearchResult::hits
  std::vector<std::pair<std::string, std::string>> repeats;  // records left out, with what says the same
  const char* scan = "none";                                 // how the semantic view read its rows
  uint32_t depth = 0;                                        // candidates asked of each view
  // Of the semantic view, where it does not read every row: rows scored by their codes, rows of which a few numbers were read
  // to rule most of them out before, blocks of rows there are, blocks looked into, and rows scored again by their floats.
  uint32_t rows_read = 0;
  uint32_t short_rows_read = 0;
  uint32_t blocks = 0;
  uint32_t blocks_probed = 0;
  uint32_t rescored = 0;
};

struct SearchResult {
  std::vector<Hit> hits;  // best first; equal scores: newer first, of one time the later id (longer, then greater)
  // Parallel to the hits, if they were wanted; NaN of those that only fill up to k.
  std::optional<std::vector<FeatureRow>> features;
  std::optional<SearchExplanation> explanation;
};

}  // namespace memspan
