// The three ways to look at a user's records. Each fills `best` with its best admissible records, best first, ties by
// recency: `depth` of them, or `prepared.depth`.
#pragma once

#include <vector>

#include "base/top_k.hpp"
#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "query/admission.hpp"
#include "query/boosting_tags.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

// How the semantic view read its rows; see SearchExplanation.
struct SemanticReading : VectorSearchStats {
  const char* scan = "none";
};

// What it finds, best first, where that is known before (joint_scans.hpp).
struct SemanticFound {
  std::vector<Candidate> best;
  SemanticReading reading;
};

// Cosine between the query's embedding and the records': exact scores, of the best or nearly so (Query::recall).
SemanticReading search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                                size_t depth, std::vector<Candidate>& best);

// BM25 over the user's own statistics; records without any of the words are no candidates. The idf is
// ln(1 + (N - n + 0.5) / (n + 0.5)); each word of the query counts once. O(postings of the words between the first and
// the last admissible slot). Replaces what `best` holds; allocates nothing once the thread and `best` have grown.
void search_lexical(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                    const Admission& admission, std::vector<Candidate>& best);

// Sum of the weights of the boosting tags that a record carries. O(postings of the tags).
void search_symbolic(const UserColumns& user, const PreparedQuery& prepared, const BoostingTags& boosting,
                     const Admission& admission, std::vector<Candidate>& best);

}  // namespace memspan
