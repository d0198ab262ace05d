// The three ways to look at a user's records. Each returns its best `prepared.depth` admissible records, best first,
// ties by recency.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "base/top_k.hpp"
#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "query/admission.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

struct SemanticCandidates {
  std::vector<Candidate> best;
  const char* scan = "none";  // how rows were read
  VectorSearchStats stats;
};

// Cosine between the query's embedding and the records': exact scores, of the best or nearly so (Query::recall).
SemanticCandidates search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission);

// BM25 over the user's own statistics; records without any of the words are no candidates. The idf is
// ln(1 + (N - n + 0.5) / (n + 0.5)); each word of the query counts once. O(postings of the words between the first and
// the last admissible slot). Replaces what `best` holds; allocates nothing once the thread and `best` have grown.
void search_lexical(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                    const Admission& admission, std::vector<Candidate>& best);

// The tags that boost, with their weights: 1 for a given tag, its cosine (if positive) for a routed one, and half as
// much for each step down the hierarchy (SwiftMem 3.2.3, hierarchical expansion). The largest weight wins.
struct BoostingTags {
  std::vector<std::pair<TagId, float>> routed;   // with cosine
  std::vector<std::pair<TagId, float>> weights;  // in the order of the numbers
};
BoostingTags find_boosting_tags(const UserColumns& user, const PreparedQuery& prepared);

// Sum of the weights of the boosting tags that a record carries; without any boosting tag in the query, every
// admissible record with score 0, which lists the newest. O(postings of the tags), or O(records walked).
std::vector<Candidate> search_symbolic(const UserColumns& user, const PreparedQuery& prepared,
                                       const BoostingTags& boosting, const Admission& admission);

}  // namespace memspan
