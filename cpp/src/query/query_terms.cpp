#include "query/query_terms.hpp"

#include <algorithm>
#include <memory>

namespace memspan {

WordStatistics statistics_for(const UserColumns& user, const PreparedQuery& prepared) {
  const bool of_another_time = prepared.query->as_of || prepared.query->valid_at;
  return WordStatistics(user.lexical, of_another_time ? nullptr : &user.retired_words);
}

void QueryTerms::find(const WordStatistics& statistics, const TokenBuffer& tokens, const IndexConfig& config) {
  const LexicalIndex& lexical = statistics.lexical();
  cursors.clear();
  for (const TermId term : lexical.find_all(tokens)) {
    if (term != kNoTerm && statistics.records(term) > 0) cursors.emplace_back(statistics, term);
  }
  std::sort(cursors.begin(), cursors.end(), [&](const TermCursor& a, const TermCursor& b) {
    if (a.records() != b.records()) return a.records() < b.records();
    return a.term() != b.term() && lexical.text(a.term()) < lexical.text(b.term());
  });
  const auto same = [](const TermCursor& a, const TermCursor& b) { return a.term() == b.term(); };
  cursors.erase(std::unique(cursors.begin(), cursors.end(), same), cursors.end());
  words = cursors.size();
  for (uint32_t word = 0; word < words; ++word) cursors[word].set_word(word);
  add_tails(lexical);
  postings = 0;
  for (const TermCursor& cursor : cursors) postings += cursor.size();
  bm25.prepare(statistics, config.k1, config.b, postings);
  for (TermCursor& cursor : cursors) cursor.set_weight(bm25);
}

// Each right behind its word's list, so that every score is still added up in the order of the words.
void QueryTerms::add_tails(const LexicalIndex& lexical) {
  const auto has_tail = [&](const TermCursor& cursor) { return !lexical.tail(cursor.term()).empty(); };
  const auto tails = static_cast<size_t>(std::count_if(cursors.begin(), cursors.end(), has_tail));
  if (tails == 0) return;
  size_t from = cursors.size();
  cursors.resize(from + tails, cursors.front());
  // From the end on, so that each one moves once.
  for (size_t to = cursors.size(); from < to;) {
    TermCursor cursor = cursors[--from];
    if (has_tail(cursor)) cursors[--to] = cursor.split_off_tail(lexical);
    cursors[--to] = cursor;
  }
}

QueryTerms& QueryTerms::of_thread() {
  thread_local const auto terms = std::make_unique<QueryTerms>();  // as the window of scores
  return *terms;
}

}  // namespace memspan
