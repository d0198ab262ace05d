// The keyword arguments of a search, read into a query.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keyword_parser.hpp"
#include "memspan/query.hpp"

namespace memspan::python {

// In the order of the signatures of Index.search and Query.
enum QueryKeyword : size_t {
  kUser, kText, kEmbedding, kTags, kBetween, kKinds, kRequireTags, kWhere, kExclude, kAsOf, kValidAt, kTop, kViews,
  kFusion, kWeights, kRanking, kDepth, kRoute, kTagDepth, kNeighbors, kExact, kRecall, kExplain, kTrack, kFeatures,
  kQueryKeywords
};

const InternedNames<kQueryKeywords>& query_keywords();

using QueryValues = KeywordValues<kQueryKeywords>;

// A query that is filled again and again, with the memory of fields that it does not use at the moment.
struct ReusableQuery {
  Query query;
  std::string text;
  std::vector<Interval> between;
  std::vector<Kind> kinds;
  std::vector<View> views;

  // Frees memory that an unusually large query left behind.
  void trim();
};

// Writes every field of the query, so that nothing of an earlier call can stay. False: take the slow path; the query
// then holds anything.
bool read_query(const QueryValues& values, ReusableQuery& into);

// The arguments of Index.latest in their usual forms: one interval or none, and no choice of kinds.
struct LatestArguments {
  std::string_view user;  // of the Python object
  std::optional<Interval> between;
  uint32_t k = 0;
};
enum LatestKeyword : size_t { kLatestUser, kLatestTop, kLatestBetween, kLatestKinds, kLatestKeywords };
const InternedNames<kLatestKeywords>& latest_keywords();
bool read_latest(const KeywordValues<kLatestKeywords>& values, LatestArguments& into);

}  // namespace memspan::python
