// The dictionary of one user: text of a term <-> its number.
//
// Memory: 17 bytes a term, 20 from 65,536 of them on, and the text itself if it is longer than 11 bytes. An empty table owns no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/prefetch.hpp"

namespace memspan {

using TermId = uint32_t;
inline constexpr TermId kNoTerm = HashCells::kNone;

class TermTable {
 public:
  size_t size() const { return cells_.size(); }
  // All numbers are below this.
  size_t numbers() const { return entries_.size(); }
  bool contains(TermId term) const { return entries_[term].size != 0; }

  static uint64_t hash(std::string_view text);
  // See HashCells.
  void prefetch(uint64_t hash) const { cells_.prefetch(hash); }
  TermId likely(uint64_t hash) const { return cells_.likely(hash); }
  void prefetch_text(TermId term) const { prefetch_line(&entries_[term]); }

  // kNoTerm if the table does not hold the text.
  TermId find(std::string_view text) const { return find(text, hash(text)); }
  TermId find(std::string_view text, uint64_t text_hash) const;
  // `text` must have 1 to 255 bytes. A number that was freed is given again. Throws std::bad_alloc or
  // std::length_error; then nothing changed.
  TermId find_or_create(std::string_view text) { return find_or_create(text, hash(text)); }
  TermId find_or_create(std::string_view text, uint64_t text_hash);
  // Needs no memory.
  void erase(TermId term);
  // Valid until the table changes.
  std::string_view text(TermId term) const { return text_of(entries_[term]); }

  // The terms in the order of their numbers, without the free ones.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);  // into an empty table
  size_t bytes() const;

 private:
  static constexpr size_t kInline = 11;
  // The text, padded with zeros; or, if it is longer, its start and in the last four bytes its offset in long_texts_.
  // A free number has size 0 and the next free number in the last four bytes.
  struct Entry {
    uint8_t size = 0;
    std::array<char, kInline> bytes = {};
  };
  static_assert(sizeof(Entry) == 12);
  static constexpr size_t kPrefix = kInline - sizeof(uint32_t);

  static uint32_t link(const Entry& entry);
  static void set_link(Entry& entry, uint32_t value);

  bool equal(const Entry& entry, const Entry& sought, std::string_view text) const;
  static Entry make_entry(std::string_view text);
  std::string_view text_of(const Entry& entry) const;
  void check(const Entry& entry, const ByteReader& in) const;
  TermId add(Entry entry, std::string_view text);

  struct HashOfTerm {
    const TermTable& table;
    uint64_t operator()(TermId term) const { return hash(table.text(term)); }
    void prefetch(TermId term) const { table.prefetch_text(term); }
  };
  void reclaim_texts();

  HashCells cells_;
  ChunkedVector<Entry, 256> entries_;  // by number
  std::string long_texts_;
  size_t dead_text_ = 0;  // bytes of long_texts_ that no term owns
  TermId first_free_ = kNoTerm;
};

}  // namespace memspan
