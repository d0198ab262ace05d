#include "lexical/lexical_index.hpp"

#include <algorithm>

#include "base/remap.hpp"

namespace memspan {

TermId LexicalIndex::find_or_create(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  TermId term;
  if (free_terms_.empty()) {
    term = static_cast<TermId>(terms_.size());
    terms_.emplace_back();
  } else {
    term = free_terms_.back();
    free_terms_.pop_back();
  }
  terms_[term].text = std::string(text);
  ids_.emplace(std::string(text), term);
  return term;
}

void LexicalIndex::add(Slot slot, const TokenBuffer& tokens) {
  if (slot >= lengths_.size()) {
    forward_.resize(slot + 1);
    lengths_.resize(slot + 1, 0);
  }
  const size_t count = tokens.size();
  if (count == 0) return;

  std::vector<TermId> occurrences(count);
  for (size_t i = 0; i < count; ++i) occurrences[i] = find_or_create(tokens[i]);
  std::sort(occurrences.begin(), occurrences.end());
  std::vector<Occurrence>& forward = forward_[slot];
  for (TermId term : occurrences) {
    if (forward.empty() || forward.back().term != term) forward.push_back({term, 0});
    ++forward.back().frequency;
  }
  forward.shrink_to_fit();
  for (const Occurrence& occurrence : forward) {
    std::vector<Posting>& postings = terms_[occurrence.term].postings;
    if (postings.empty() || postings.back().slot < slot) {
      postings.push_back({slot, occurrence.frequency});
      continue;
    }
    const auto place = std::lower_bound(postings.begin(), postings.end(), slot,
                                        [](const Posting& posting, Slot wanted) { return posting.slot < wanted; });
    postings.insert(place, {slot, occurrence.frequency});
  }
  lengths_[slot] = static_cast<uint32_t>(count);
  ++documents_;
  tokens_ += count;
}

void LexicalIndex::remove(Slot slot) {
  for (const Occurrence& occurrence : forward_[slot]) {
    Term& term = terms_[occurrence.term];
    const auto place = std::lower_bound(term.postings.begin(), term.postings.end(), slot,
                                        [](const Posting& posting, Slot wanted) { return posting.slot < wanted; });
    term.postings.erase(place);
    if (term.postings.empty()) {
      ids_.erase(term.text);
      term = Term();
      free_terms_.push_back(occurrence.term);
    }
  }
  forward_[slot] = {};
  if (lengths_[slot] != 0) --documents_;
  tokens_ -= lengths_[slot];
  lengths_[slot] = 0;
}

std::span<const Posting> LexicalIndex::postings(std::string_view term) const {
  const auto found = ids_.find(term);
  return found == ids_.end() ? std::span<const Posting>() : std::span<const Posting>(terms_[found->second].postings);
}

void LexicalIndex::remap(std::span<const Slot> new_slots, size_t size) {
  remap_column(forward_, new_slots, size);
  remap_column(lengths_, new_slots, size);
  // New numbers keep the order of the old ones, so the lists stay sorted.
  for (Term& term : terms_) {
    for (Posting& posting : term.postings) posting.slot = new_slots[posting.slot];
    term.postings.shrink_to_fit();
  }
}

// u64 terms, then their texts; per live slot: u64 entries, then u32 term, u32 frequency.
void LexicalIndex::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> position(terms_.size());
  uint32_t next = 0;
  out.put<uint64_t>(ids_.size());
  for (TermId term = 0; term < terms_.size(); ++term) {
    if (terms_[term].postings.empty()) continue;
    position[term] = next++;
    out.put_text(terms_[term].text);
  }
  for (Slot slot : live) {
    out.put<uint64_t>(forward_[slot].size());
    for (const Occurrence& occurrence : forward_[slot]) {
      out.put<uint32_t>(position[occurrence.term]);
      out.put<uint32_t>(occurrence.frequency);
    }
  }
}

void LexicalIndex::load(ByteReader& in, size_t slots) {
  const uint64_t count = in.get_count(sizeof(uint32_t));
  terms_.reserve(count);
  ids_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view text = in.get_text(kMaxTokenBytes);
    in.check(!text.empty() && !ids_.contains(text), "a term is empty or comes twice");
    find_or_create(text);
  }
  forward_.resize(slots);
  lengths_.resize(slots, 0);
  for (Slot slot = 0; slot < slots; ++slot) {
    const uint64_t entries = in.get_count(2 * sizeof(uint32_t));
    forward_[slot].reserve(entries);
    uint64_t length = 0;
    for (uint64_t e = 0; e < entries; ++e) {
      const auto term = in.get<uint32_t>();
      const auto frequency = in.get<uint32_t>();
      in.check(term < count && frequency > 0, "a record has an unknown term or an empty one");
      std::vector<Posting>& postings = terms_[term].postings;
      in.check(postings.empty() || postings.back().slot != slot, "a record has a term twice");
      forward_[slot].push_back({term, frequency});
      postings.push_back({slot, frequency});
      length += frequency;
    }
    in.check(length <= kMaxTokensPerByte * limits::kTextBytes, "a record has too many tokens");
    lengths_[slot] = static_cast<uint32_t>(length);
    tokens_ += length;
    documents_ += length != 0;
  }
  for (const Term& term : terms_) in.check(!term.postings.empty(), "a term has no record");
}

size_t LexicalIndex::bytes() const {
  size_t total = terms_.capacity() * sizeof(Term) + ids_.size() * (sizeof(std::string) + 8) +
                 forward_.capacity() * sizeof(forward_[0]) + lengths_.capacity() * sizeof(uint32_t);
  for (const Term& term : terms_) total += 2 * term.text.capacity() + term.postings.capacity() * sizeof(Posting);
  for (const auto& forward : forward_) total += forward.capacity() * sizeof(Occurrence);
  return total;
}

}  // namespace memspan
