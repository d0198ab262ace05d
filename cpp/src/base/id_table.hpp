// The ids of a user's records, each stored once, and the slots that they own.
//
// The table hands slots out: the last one that was freed goes to the next record that is added, so that columns by
// slot never need a compaction in ordinary life. Thread safety: const members may run in parallel; writes need
// exclusion. Memory: the id and about 11 bytes, 14 from 65,536 slots on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/hash_map.hpp"
#include "base/prefetch.hpp"
#include "base/text_arena.hpp"
#include "base/text_list.hpp"
#include "memspan/types.hpp"

namespace memspan {

class IdTable {
 public:
  static_assert(limits::kNameBytes <= TextArena::kMaxBytes);

  static uint64_t hash(std::string_view id) { return StringHash()(id); }

  // The record's slot, or kNoSlot. O(1).
  Slot find(std::string_view id) const { return find(id, hash(id)); }
  Slot find(std::string_view id, uint64_t hash) const {
    return cells_.find(hash, [&](Slot slot) { return texts_.text(places_[slot]) == id; });
  }
  // The text of a live slot; valid until the next change.
  std::string_view operator[](Slot slot) const { return texts_.text(places_[slot]); }

  // Asks for the memory that the text of a slot takes: first for its place, and when that is there for the text.
  void prefetch_place(Slot slot) const { prefetch_line(&places_[slot]); }
  void prefetch_text(Slot slot) const { texts_.prefetch(places_[slot]); }
  // The same for a removal, when the text is there.
  void prefetch_hash(Slot slot) const { cells_.prefetch(hash((*this)[slot])); }

  // Takes a slot for the absent id: a free one, if it may be `reused`, or the next new one. If that throws, nothing has
  // changed. O(1).
  Slot add(std::string_view id, uint64_t hash, bool reused = true) {
    if (free_ == kNoSlot || !reused) {
      places_.push_back(free_);
      free_ = static_cast<Slot>(places_.size() - 1);
    }
    const Slot slot = free_;
    const TextArena::Ref place = texts_.add(id);
    try {
      cells_.put(hash, slot, HashOfId{*this});
    } catch (...) {
      texts_.remove(place);
      throw;
    }
    free_ = places_[slot];
    places_[slot] = place;
    return slot;
  }

  // Erases the id's bytes and frees the slot.
  void remove(Slot slot) noexcept {
    remove_id(slot);
    free(slot);
  }
  // The two parts of that, for a slot that rests in between.
  void remove_id(Slot slot) noexcept {
    cells_.erase(hash((*this)[slot]), slot, HashOfId{*this});
    texts_.remove(places_[slot]);
  }
  void free(Slot slot) noexcept {
    places_[slot] = free_;
    free_ = slot;
  }

  size_t size() const { return cells_.size(); }     // live records
  size_t slots() const { return places_.size(); }  // free ones included

  // The ids of `live`; loaded into an empty table they are those of slots 0, 1, ...
  void save(ByteWriter& out, std::span<const Slot> live) const {
    put_texts(out, live.size(), [&](size_t i) { return (*this)[live[i]]; });
  }
  void load(ByteReader& in, size_t count) {
    TextList ids(in, count);
    const auto hashes = std::make_unique_for_overwrite<uint64_t[]>(count);
    places_.fill(count, [&](std::span<TextArena::Ref> places) {
      uint64_t* next_hash = hashes.get() + places_.size();
      for (TextArena::Ref& place : places) {
        const std::string_view id = ids.next();
        in.check(!id.empty() && id.size() <= limits::kNameBytes, "an id is empty or too long");
        place = texts_.add(id);
        *next_hash++ = hash(id);
      }
    });
    in.check(cells_.build({hashes.get(), count}, [this](Slot a, Slot b) { return (*this)[a] == (*this)[b]; }), "an id comes twice");
  }

  size_t bytes() const { return places_.bytes() + texts_.bytes() + cells_.bytes(); }

 private:
  static_assert(kNoSlot == HashCells::kNone);
  struct HashOfId {
    const IdTable& table;
    uint64_t operator()(Slot slot) const { return hash(table[slot]); }
    void prefetch(Slot slot) const { table.prefetch_text(slot); }
  };

  ChunkedVector<TextArena::Ref> places_;  // of a free slot: the next free one, or kNoSlot
  TextArena texts_;
  HashCells cells_;
  Slot free_ = kNoSlot;
};

}  // namespace memspan
