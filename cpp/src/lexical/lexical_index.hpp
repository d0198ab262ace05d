// Inverted lists of one user with the user's own statistics.
//
// Every record's terms are kept beside the lists (the forward lists), so that a record can be erased exactly, without
// its text: document frequencies, lengths and the dictionary are at any time those of the live records alone.
// Thread safety: const members may run in parallel; writes need exclusion.
// Memory: 16 bytes for each distinct term of each record, and the dictionary.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash_map.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/types.hpp"

namespace memspan {

using TermId = uint32_t;

struct Posting {
  Slot slot;
  uint32_t frequency;
};

class LexicalIndex {
 public:
  // `slot` must be new and larger than every one before. O(tokens).
  void add(Slot slot, const TokenBuffer& tokens);
  // A slot without text is added too, so that the columns stay parallel.
  // O(sum over the record's terms of the length of their lists behind the record).
  void remove(Slot slot);

  // The list of a term, ascending by slot; empty if no live record holds it.
  std::span<const Posting> postings(std::string_view term) const;

  uint32_t length(Slot slot) const { return lengths_[slot]; }  // in tokens
  uint64_t documents() const { return documents_; }            // live records with at least one token
  uint64_t tokens() const { return tokens_; }
  size_t terms() const { return ids_.size(); }

  void remap(std::span<const Slot> new_slots, size_t size);
  void save(ByteWriter& out, std::span<const Slot> live) const;
  void load(ByteReader& in, size_t slots);
  size_t bytes() const;

 private:
  struct Term {
    std::string text;
    std::vector<Posting> postings;
  };
  struct Occurrence {
    TermId term;
    uint32_t frequency;
  };

  TermId find_or_create(std::string_view text);

  std::vector<Term> terms_;
  std::vector<TermId> free_terms_;
  StringMap<TermId> ids_;
  std::vector<std::vector<Occurrence>> forward_;  // by slot
  std::vector<uint32_t> lengths_;                 // by slot
  uint64_t documents_ = 0;
  uint64_t tokens_ = 0;
};

}  // namespace memspan
