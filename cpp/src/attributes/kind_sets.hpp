// Which records are of which kind, as bits: a query for some kinds need not look at each record.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: one pointer; once a record is not
// episodic, at most two bits a slot for each other kind that there is.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "base/bitset.hpp"
#include "memspan/types.hpp"

namespace memspan {

class KindSets {
 public:
  // The next set() of the slot needs no memory then.
  void make_room(Slot slot, Kind kind) {
    if (kind == Kind::episodic) return;
    if (!others_) others_ = std::make_unique<Others>();
    if (Bitset& set = of(kind); slot >= set.size()) set.resize(std::max<size_t>({64, 2 * set.size(), size_t{slot} + 1}));
  }
  void set(Slot slot, Kind kind) {
    if (kind != Kind::episodic) of(kind).set(slot);
  }
  void reset(Slot slot, Kind kind) {
    if (kind != Kind::episodic) of(kind).reset(slot);
  }

  // Leaves in a set of records those of the kinds that are wanted. O(slots / 64).
  void keep(const std::array<bool, kKindCount>& wanted, Bitset& records) const {
    const bool episodic = wanted[static_cast<size_t>(Kind::episodic)];
    records.keep_words([&](size_t i, uint64_t word) {
      uint64_t unlike = 0;  // of kinds that are wanted where episodic ones are not, or the other way round
      for (size_t other = 0; others_ && other < others_->size(); ++other) {
        if (wanted[other + 1] != episodic) unlike |= (*others_)[other].word(i);
      }
      return word & (episodic ? ~unlike : unlike);
    });
  }

  size_t bytes() const {
    size_t bytes = others_ ? sizeof(Others) : 0;
    for (size_t other = 0; others_ && other < others_->size(); ++other) bytes += (*others_)[other].bytes();
    return bytes;
  }

 private:
  // Episodic ones are most, and those that no set has. Each set reaches up to the last slot of its kind.
  static_assert(static_cast<size_t>(Kind::episodic) == 0);
  using Others = std::array<Bitset, kKindCount - 1>;

  Bitset& of(Kind kind) { return (*others_)[static_cast<size_t>(kind) - 1]; }

  std::unique_ptr<Others> others_;  // null: all records are episodic
};

}  // namespace memspan
