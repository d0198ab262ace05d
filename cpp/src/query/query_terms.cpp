#include "query/query_terms.hpp"

#include <algorithm>

namespace memspan {

void QueryTerms::find(const LexicalIndex& lexical, const TokenBuffer& tokens, const IndexConfig& config) {
  cursors.clear();
  for (const TermId term : lexical.find_all(tokens)) {
    if (term != kNoTerm) cursors.emplace_back(lexical, term);
  }
  std::sort(cursors.begin(), cursors.end(), [&](const TermCursor& a, const TermCursor& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return a.term() != b.term() && lexical.text(a.term()) < lexical.text(b.term());
  });
  const auto same = [](const TermCursor& a, const TermCursor& b) { return a.term() == b.term(); };
  cursors.erase(std::unique(cursors.begin(), cursors.end(), same), cursors.end());
  postings = 0;
  for (const TermCursor& cursor : cursors) postings += cursor.size();
  bm25.prepare(lexical, config.k1, config.b, postings);
  for (TermCursor& cursor : cursors) cursor.set_weight(bm25);
}

QueryTerms& QueryTerms::of_thread() {
  thread_local QueryTerms terms;
  return terms;
}

}  // namespace memspan
