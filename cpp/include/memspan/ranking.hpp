// The learned ranking: what is looked at in a record, and what each of it counts.
//
// A record's score is the sum of its features, each times its weight, and of what a small net answers, if there is one
// (ranking_net.hpp). Which weights are good depends on the kind of question, so that they come with the query. Features are named, so that a table of weights can be checked against the program that reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

// "z": how many standard deviations above the mean of the user's admissible records. What a view does not find, or what has no such
// neighbour, counts as the mean; for with_before and with_after, as the record alone.
enum class RankFeature : uint8_t {
  cosine,           // with the question
  cosine_z,
  cosine_rank,      // -ln(rank)
  cosine_top,       // 4 / (rank + 3)
  bm25_z,
  bm25_share,       // of the most that the question's words can give
  coverage,         // share of the question's words, each by its weight, that the record holds
  bm25_rank,
  bm25_top,
  before_cosine,    // z of the turn before in the session
  after_cosine,
  before_bm25,
  after_bm25,
  near_cosine,      // mean z of the turns two before and two behind
  near_bm25,
  with_before,      // z of the cosine of the record and the turn before, taken together
  with_after,
  session_cosine,   // the best z in the session
  session_cosines,  // mean of the best three
  session_bm25,
  session_bm25s,
  session_coverage, // of the session's records together
  named,            // the question names the speaker
  other_named,      // it names another one
  from_user,        // 1 of a speaker "user", -1 of "assistant"
  asks,             // the text ends with a question mark
  has_question,     // it holds one
  after_question,   // the turn before ends with one
  length,           // ln(1 + tokens), of 40 at most
  short_text,       // fewer than 12 tokens
  hinted,           // 1 at a time that the question speaks of, 1/2 up to three days beside it
  tagged,           // weight of the record's tags that boost
};

inline constexpr auto kRankFeatureNames = std::to_array<std::string_view>(
    {"cosine",         "cosine_z",      "cosine_rank",   "cosine_top",      "bm25_z",         "bm25_share",   "coverage",
     "bm25_rank",      "bm25_top",      "before_cosine", "after_cosine",    "before_bm25",    "after_bm25",   "near_cosine",
     "near_bm25",      "with_before",   "with_after",    "session_cosine",  "session_cosines", "session_bm25", "session_bm25s",
     "session_coverage", "named",       "other_named",   "from_user",       "asks",           "has_question", "after_question",
     "length",         "short_text",    "hinted",        "tagged"});
inline constexpr size_t kRankFeatures = kRankFeatureNames.size();
static_assert(kRankFeatures == static_cast<size_t>(RankFeature::tagged) + 1);

using FeatureRow = std::array<float, kRankFeatures>;

// Which of the scored records come back, where the best k are not simply wanted (ranking/selection.hpp).
struct Selection {
  bool distinct = false;   // a record that repeats another one comes only when there are not enough others
  uint32_t sessions = 1;   // the records come from so many sessions, if those scored do
  float diversity = 0.0f;  // times the cosine with the most alike of those chosen before is taken off a score,
  float spread = 0.0f;     // and so much beside one of them in time, less with distance

  bool plain() const { return !distinct && sessions <= 1 && diversity == 0.0f && spread == 0.0f; }
};

class RankingNet;

// What ranks the candidates of one question.
struct Ranking {
  FeatureRow weights = {};
  std::shared_ptr<const RankingNet> net = nullptr;  // what it answers is added to the weighted sum
  std::vector<Interval> hints;  // times that the question speaks of
  Selection selection = {};
};

// The records that were scored, by what the ranking saw of them.
struct RankingFeatures {
  std::vector<std::string> ids;
  std::vector<FeatureRow> rows;
};

}  // namespace memspan
