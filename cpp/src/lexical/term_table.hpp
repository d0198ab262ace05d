// The dictionary of one user: text of a term <-> its number.
//
// Memory: 12 bytes a term, 5 for each of the table's cells, of which 40 to 80 % are in use, and the text itself if it
// is longer than 11 bytes. An empty table owns no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/huge_pages.hpp"
#include "base/prefetch.hpp"

namespace memspan {

using TermId = uint32_t;
inline constexpr TermId kNoTerm = std::numeric_limits<TermId>::max();

class TermTable {
 public:
  size_t size() const { return size_; }
  // All numbers are below this.
  size_t numbers() const { return entries_.size(); }
  bool contains(TermId term) const { return entries_[term].size != 0; }

  static uint64_t hash(std::string_view text);
  // Asks for the memory that a look-up with this hash reads first.
  void prefetch(uint64_t hash) const {
    if (cells_.empty()) return;
    const size_t cell = hash & (cells_.size() - 1);
    prefetch_line(&tags_[cell]);
    prefetch_line(&cells_[cell]);
  }

  // The term that a look-up with this hash compares first: the one it is about, most times. kNoTerm: it finds none.
  TermId likely(uint64_t hash) const {
    if (size_ == 0) return kNoTerm;
    const uint8_t tag = tag_of(hash);
    size_t cell = hash & (cells_.size() - 1);
    while (tags_[cell] != 0 && tags_[cell] != tag) cell = (cell + 1) & (cells_.size() - 1);
    return tags_[cell] == 0 ? kNoTerm : cells_[cell];
  }
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
  std::string_view text(TermId term) const;

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

  // The cell comes from the low bits of the hash, the tag from the highest.
  static uint8_t tag_of(uint64_t hash) { return static_cast<uint8_t>((hash >> 56) | 1u); }
  static uint32_t link(const Entry& entry);
  static void set_link(Entry& entry, uint32_t value);

  bool equal(const Entry& entry, const Entry& sought, std::string_view text) const;
  static Entry make_entry(std::string_view text);
  size_t find_cell(std::string_view text, uint64_t hash) const;
  void grow();
  bool fill_cells(size_t count);
  void drop_cell(size_t cell);
  void reclaim_texts();

  // Open addressing with linear probing, without gaps: cell i holds a term if tags_[i] is not 0.
  template <typename T>
  using Array = std::vector<T, huge_pages::Allocator<T>>;
  Array<uint8_t> tags_;
  Array<TermId> cells_;
  Array<Entry> entries_;  // by number
  std::string long_texts_;
  size_t dead_text_ = 0;  // bytes of long_texts_ that no term owns
  size_t size_ = 0;
  TermId first_free_ = kNoTerm;
};

}  // namespace memspan
