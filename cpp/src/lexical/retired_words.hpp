// How many retired records hold each word: what the lists of a user's words have to leave out for statistics of what is
// believed now.
//
// Plain searches weigh words as if retired records were not there, to the last bit; searches of another time weigh them
// by all records.
// Thread safety: const members may run in parallel; writes need exclusion. Memory: nothing for a user without retired
// records, otherwise 4 bytes a word of the dictionary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "lexical/lexical_index.hpp"
#include "memspan/types.hpp"

namespace memspan {

class RetiredWords {
 public:
  // A retired record right after it came into the lists. O(its distinct words). If that throws, nothing has changed.
  void add(const LexicalIndex& lexical, Slot slot);
  // Right before it leaves them. Needs lexical.check(slot) before, and no memory.
  void remove(const LexicalIndex& lexical, Slot slot) noexcept;

  bool empty() const { return counted_ == nullptr; }
  uint64_t documents() const { return counted_ ? counted_->documents : 0; }  // retired records with at least one token
  uint64_t tokens() const { return counted_ ? counted_->tokens : 0; }
  size_t records(TermId term) const {
    return counted_ && term < counted_->records.size() ? counted_->records[term] : 0;
  }

  // `lexical` is saved and loaded before.
  void save(ByteWriter& out, const LexicalIndex& lexical) const;
  void load(ByteReader& in, const LexicalIndex& lexical);
  size_t bytes() const { return counted_ ? sizeof(Counted) + counted_->records.bytes() : 0; }

 private:
  struct Counted {
    ChunkedVector<uint32_t> records;  // by term; shorter than the dictionary where the last terms have none
    uint64_t documents = 0;
    uint64_t tokens = 0;
  };

  std::unique_ptr<Counted> counted_;  // null: no retired record has a token
};

// What BM25 knows of a user's records: of all, or of those that are not retired.
class WordStatistics {
 public:
  // `left_out`: null for none.
  WordStatistics(const LexicalIndex& lexical, const RetiredWords* left_out)
      : lexical_(lexical), left_out_(left_out != nullptr && left_out->empty() ? nullptr : left_out) {}

  uint64_t documents() const { return less(lexical_.documents(), left_out_ ? left_out_->documents() : 0); }
  uint64_t tokens() const { return less(lexical_.tokens(), left_out_ ? left_out_->tokens() : 0); }
  size_t records(TermId term) const {
    if (left_out_ == nullptr) return lexical_.records(term);
    return std::min<size_t>(less(lexical_.records(term), left_out_->records(term)), documents());
  }
  const LexicalIndex& lexical() const { return lexical_; }

 private:
  // A snapshot that was made up may claim more retired records of a word than there are, or so few that more are left than
  // records, and the weight would be negative.
  template <typename T>
  static T less(T all, T part) {
    return all - std::min(all, part);
  }

  const LexicalIndex& lexical_;
  const RetiredWords* left_out_;
};

}  // namespace memspan
