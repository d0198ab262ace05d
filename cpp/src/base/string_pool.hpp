// Strings that many records share (sessions, speakers), stored once and dropped with their last user; and who of them speaks.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: the text and about 22 bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/hash_map.hpp"
#include "base/text_arena.hpp"
#include "base/text_list.hpp"
#include "memspan/types.hpp"

namespace memspan {

class StringPool {
 public:
  using Symbol = uint32_t;
  static constexpr Symbol kNone = std::numeric_limits<Symbol>::max();
  static_assert(limits::kNameBytes <= TextArena::kMaxBytes);

  // Takes one reference. The empty string is kNone. If that throws, nothing has changed.
  Symbol acquire(std::string_view text) {
    if (text.empty()) return kNone;
    const uint64_t hash = StringHash()(text);
    const Symbol known = cells_.find(hash, [&](Symbol symbol) { return texts_.text(entries_[symbol].place) == text; });
    if (known != kNone) {
      ++entries_[known].references;
      return known;
    }
    if (free_ == kNone) {
      entries_.push_back({.place = kNone, .references = 0});
      free_ = static_cast<Symbol>(entries_.size() - 1);
    }
    const Symbol symbol = free_;
    const TextArena::Ref place = texts_.add(text);
    try {
      cells_.put(hash, symbol, HashOfText{*this});
    } catch (...) {
      texts_.remove(place);
      throw;
    }
    free_ = entries_[symbol].place;
    entries_[symbol] = {.place = place, .references = 1};
    return symbol;
  }

  // Gives one reference back; the last one erases the text.
  void release(Symbol symbol) noexcept {
    if (symbol == kNone || --entries_[symbol].references != 0) return;
    cells_.erase(StringHash()(text(symbol)), symbol, HashOfText{*this});
    texts_.remove(entries_[symbol].place);
    entries_[symbol].place = free_;
    free_ = symbol;
  }

  // It was acquired as a speaker (by = 1), or will be released as one (-1). True: as the first or the last.
  bool count_spoken(Symbol symbol, int by) noexcept {
    if (symbol == kNone) return false;
    uint32_t& count = entries_[symbol].spoken;
    count += static_cast<uint32_t>(by);
    return count == (by > 0 ? 1 : 0);
  }
  // Calls use(symbol) for the speakers. O(strings).
  template <typename Use>
  void for_each_speaker(Use use) const {
    for (Symbol symbol = 0; symbol < entries_.size(); ++symbol) {
      if (entries_[symbol].spoken > 0) use(symbol);
    }
  }

  // Valid until the next change.
  std::string_view text(Symbol symbol) const {
    return symbol == kNone ? std::string_view() : texts_.text(entries_[symbol].place);
  }

  // Writes the strings in use; returns their new symbols by the old ones (kNone of those that are not).
  std::vector<Symbol> save(ByteWriter& out) const {
    std::vector<Symbol> kept;
    std::vector<Symbol> new_symbols(entries_.size(), kNone);
    for (Symbol symbol = 0; symbol < entries_.size(); ++symbol) {
      if (entries_[symbol].references == 0) continue;
      new_symbols[symbol] = static_cast<Symbol>(kept.size());
      kept.push_back(symbol);
    }
    out.put<uint64_t>(kept.size());
    put_texts(out, kept.size(), [&](size_t i) { return text(kept[i]); });
    return new_symbols;
  }
  // Into an empty pool. `references`: how often each symbol is used; asked for after the strings were read.
  template <typename References>
  void load(ByteReader& in, References references) {
    const uint64_t count = in.get_count(sizeof(uint16_t));
    TextList texts(in, count);
    const std::vector<uint32_t> counts = references(count);
    std::vector<uint64_t> hashes(count);
    entries_.fill(count, [&](std::span<Entry> entries) {
      Symbol symbol = static_cast<Symbol>(entries_.size());
      for (Entry& entry : entries) {
        const std::string_view text = texts.next();
        in.check(!text.empty() && text.size() <= limits::kNameBytes, "a shared string is empty or too long");
        in.check(counts[symbol] > 0, "a shared string is not used");
        entry = {.place = texts_.add(text), .references = counts[symbol]};
        hashes[symbol++] = StringHash()(text);
      }
    });
    in.check(cells_.build(hashes, [this](Symbol a, Symbol b) { return text(a) == text(b); }), "a shared string comes twice");
  }

  size_t size() const { return cells_.size(); }
  size_t bytes() const { return entries_.bytes() + texts_.bytes() + cells_.bytes(); }

 private:
  struct Entry {
    TextArena::Ref place;  // of a free symbol: the next free one, or kNone
    uint32_t references;
    uint32_t spoken = 0;  // of the references, those of a speaker, as far as they are counted
  };
  struct HashOfText {
    const StringPool& pool;
    uint64_t operator()(Symbol symbol) const { return StringHash()(pool.text(symbol)); }
    void prefetch(Symbol symbol) const { pool.texts_.prefetch(pool.entries_[symbol].place); }
  };

  ChunkedVector<Entry> entries_;
  TextArena texts_;
  HashCells cells_;
  Symbol free_ = kNone;
};

}  // namespace memspan
