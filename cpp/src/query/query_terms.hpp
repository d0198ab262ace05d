// The words of a query that a user's records hold, as cursors over their inverted lists.
#pragma once

#include <vector>

#include "index/user_columns.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/index.hpp"
#include "query/prepared_query.hpp"
#include "query/term_cursor.hpp"

namespace memspan {

// Of what is believed now or, for a query of another time, of all records.
WordStatistics statistics_for(const UserColumns& user, const PreparedQuery& prepared);

// Memory that a thread keeps between queries; what it holds is of the last search that looked for words, and valid
// while its user's lock is held.
struct QueryTerms {
  // Each word that the statistics count once, or twice in a row where its list has a tail. The rarest first, equals by text:
  // every record's score is added up in this order, which depends on the user's records alone.
  std::vector<TermCursor> cursors;
  size_t words = 0;     // different ones
  Bm25 bm25;
  size_t postings = 0;  // of all lists

  // The statistics must have documents. O(words, and the logarithm of their number for each).
  void find(const WordStatistics& statistics, const TokenBuffer& tokens, const IndexConfig& config);

  static QueryTerms& of_thread();

 private:
  void add_tails(const LexicalIndex& lexical);
};

}  // namespace memspan
