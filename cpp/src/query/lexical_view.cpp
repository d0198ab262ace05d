#include <algorithm>
#include <cmath>
#include <string_view>

#include "query/score_accumulator.hpp"
#include "query/views.hpp"

namespace memspan {
namespace {

// Sorted, so that the same words in any order add up to the same bits.
std::vector<std::string_view> distinct_words(const TokenBuffer& tokens) {
  std::vector<std::string_view> words;
  words.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) words.push_back(tokens[i]);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

double inverse_document_frequency(uint64_t documents, uint64_t with_term) {
  const auto n = static_cast<double>(with_term);
  return std::log(1.0 + (static_cast<double>(documents) - n + 0.5) / (n + 0.5));
}

}  // namespace

void search_lexical(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                    const Admission& admission, std::vector<Candidate>& best) {
  const LexicalIndex& lexical = user.lexical;
  best.clear();
  if (lexical.documents() == 0) return;
  const double average_length = static_cast<double>(lexical.tokens()) / static_cast<double>(lexical.documents());
  // A posting scores weight * f / (f + offset + slope * length).
  const auto offset = static_cast<float>(config.k1 * (1.0 - config.b));
  const auto slope = static_cast<float>(config.k1 * config.b / average_length);

  ScoreAccumulator scores(user.slots());
  for (std::string_view word : distinct_words(prepared.tokens)) {
    const std::span<const Posting> postings = lexical.postings(word);
    if (postings.empty()) continue;
    const double idf = inverse_document_frequency(lexical.documents(), postings.size());
    const auto weight = static_cast<float>(idf * (config.k1 + 1.0));
    for (const Posting& posting : postings) {
      const auto frequency = static_cast<float>(posting.frequency);
      const auto length = static_cast<float>(lexical.length(posting.slot));
      scores.add(posting.slot, weight * frequency / (frequency + offset + slope * length));
    }
  }
  TopK top(prepared.depth, user.recency(), best);
  admission.visit([&](auto admits) { scores.offer_all(top, admits); });
  top.sort();
}

}  // namespace memspan
