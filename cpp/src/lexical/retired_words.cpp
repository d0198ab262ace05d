#include "lexical/retired_words.hpp"

#include <vector>

namespace memspan {

void RetiredWords::add(const LexicalIndex& lexical, Slot slot) {
  if (lexical.length(slot) == 0) return;
  // The room first: terms ascend.
  TermId last = 0;
  lexical.for_each_term(slot, [&](const Occurrence& each) {
    last = each.term;
    return true;
  });
  auto first = counted_ ? nullptr : std::make_unique<Counted>();
  Counted& counted = counted_ ? *counted_ : *first;
  if (last >= counted.records.size()) counted.records.resize(size_t{last} + 1);
  if (first) counted_ = std::move(first);
  lexical.for_each_term(slot, [&](const Occurrence& each) {
    ++counted.records[each.term];
    return true;
  });
  ++counted.documents;
  counted.tokens += lexical.length(slot);
}

void RetiredWords::remove(const LexicalIndex& lexical, Slot slot) noexcept {
  if (lexical.length(slot) == 0 || !counted_) return;
  lexical.for_each_term(slot, [&](const Occurrence& each) {
    if (each.term < counted_->records.size() && counted_->records[each.term] > 0) --counted_->records[each.term];
    return true;
  });
  counted_->tokens -= std::min<uint64_t>(counted_->tokens, lexical.length(slot));
  if (--counted_->documents == 0) counted_.reset();
}

// u64 documents, u64 tokens, then u32[] the terms that retired records hold, by their numbers in the saved dictionary,
// ascending, and u32 how many hold each.
void RetiredWords::save(ByteWriter& out, const LexicalIndex& lexical) const {
  out.put<uint64_t>(documents());
  out.put<uint64_t>(tokens());
  std::vector<uint32_t> terms;
  std::vector<uint32_t> counts;
  uint32_t number = 0;
  for (TermId term = 0; !empty() && term < lexical.numbers(); ++term) {
    if (!lexical.holds(term)) continue;
    if (records(term) > 0) {
      terms.push_back(number);
      counts.push_back(static_cast<uint32_t>(records(term)));
    }
    ++number;
  }
  out.put_array<uint32_t>(terms);
  out.put_each<uint32_t>(counts.size(), [&](size_t i) { return counts[i]; });
}

void RetiredWords::load(ByteReader& in, const LexicalIndex& lexical) {
  const auto documents = in.get<uint64_t>();
  const auto tokens = in.get<uint64_t>();
  in.check(documents <= lexical.documents() && tokens <= lexical.tokens(), "more retired words than words");
  const std::vector<uint32_t> terms = in.get_array<uint32_t>();
  const std::vector<uint32_t> counts = in.get_each<uint32_t>(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    in.check(terms[i] < lexical.numbers() && (i == 0 || terms[i - 1] < terms[i]), "retired words are not in order");
    in.check(counts[i] <= documents && counts[i] <= lexical.list(terms[i]).size(), "more retired records of a word than there are");
  }
  in.check((documents == 0) == terms.empty(), "retired records and their words do not agree");
  if (documents == 0) return;
  counted_ = std::make_unique<Counted>();
  counted_->documents = documents;
  counted_->tokens = tokens;
  counted_->records.resize(size_t{terms.back()} + 1);
  for (size_t i = 0; i < terms.size(); ++i) counted_->records[terms[i]] = counts[i];
}

}  // namespace memspan
