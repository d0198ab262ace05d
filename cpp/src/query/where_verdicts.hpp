// What a query's `where` says of the metadata of a user, asked once for all records that share it, and only of what is left by
// the columns of fields that it wants to equal something or to lie in a range. Of a filter by ranges alone, only metadata at
// their ends is asked. Keeps its memory between searches; valid while the user's lock is held.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "attributes/attributes.hpp"
#include "attributes/where.hpp"
#include "base/bitset.hpp"
#include "simd/kernels.hpp"

namespace memspan {

class WhereVerdicts {
 public:
  // For a search that may ask so many records. O(different metadata), a byte each; the first time that many are asked for a
  // field, it is looked up in all of them.
  void start(const Where& where, const Attributes& attributes, size_t records) {
    where_ = &where;
    attributes_ = &attributes;
    equal_.clear();
    within_.clear();
    for (const Where::Equal& wanted : where.equal()) {
      const FieldCodes::Column* const column = attributes.field_codes(*wanted.path, records);
      if (column != nullptr) equal_.push_back({column, wanted.codes});
    }
    for (const Where::Within& wanted : where.within()) {
      const FieldKeys::Column* const column = attributes.field_keys(*wanted.path, records);
      if (column != nullptr) within_.push_back({column, wanted.range});
    }
    keys_decide_ = where.only_within() && !within_.empty() && within_.size() == where.within().size();
    verdicts_.assign(attributes.metadata_symbols(), Verdict::open);
  }

  bool admits(Slot slot) {
    for (const auto& [column, codes] : equal_) {
      if (std::find(codes.begin(), codes.end(), (*column)[slot]) == codes.end()) return false;
    }
    bool decided = keys_decide_;
    for (const auto& [column, range] : within_) {
      const FieldKey key = (*column)[slot];
      if (!range.contains(key)) return false;
      decided = decided && range.decides(key);
    }
    return decided || admits_symbol(attributes_->metadata_symbol(slot));
  }

  // Leaves in a set of records those that are admitted. O(records), 64 at a time where there are columns.
  void keep(Bitset& records) {
    for (const auto& [column, codes] : equal_) {
      marks_.assign(column->numbers().size() / 64, 0);
      for (const FieldCode code : codes) kernels().mark_equal(column->numbers().data(), code, marks_.data(), marks_.size());
      keep_marked(records);
    }
    for (const auto& [column, range] : within_) {
      marks_.assign(column->numbers().size() / 64, 0);
      kernels().mark_within(column->numbers().data(), range.least, range.most, marks_.data(), marks_.size());
      keep_marked(records);
    }
    records.keep_words([this](size_t i, uint64_t word) {
      uint64_t kept = keys_decide_ ? word & decided(i) : 0;
      if (kept == word) return word;
      const MetadataPool::Symbol* const symbols = attributes_->metadata_symbols_of(i);
      if (symbols == nullptr) return admits_symbol(MetadataPool::kNone) ? word : kept;
      for (uint64_t left = word & ~kept; left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        kept |= uint64_t{admits_symbol(symbols[bit])} << bit;
      }
      return kept;
    });
  }

  size_t bytes() const {
    return verdicts_.capacity() * sizeof(Verdict) + equal_.capacity() * sizeof(Equal) + within_.capacity() * sizeof(Within) +
           marks_.capacity() * sizeof(uint64_t);
  }

 private:
  enum class Verdict : uint8_t { open, admitted, refused };

  bool admits_symbol(MetadataPool::Symbol symbol) {
    Verdict& verdict = verdicts_[symbol];
    if (verdict == Verdict::open) {
      verdict = where_->matches(attributes_->metadata_of(symbol)) ? Verdict::admitted : Verdict::refused;
    }
    return verdict == Verdict::admitted;
  }

  struct Equal {
    const FieldCodes::Column* column;
    std::span<const FieldCode> codes;
  };
  struct Within {
    const FieldKeys::Column* column;
    KeyRange range;
  };

  // Of the 64 slots from 64 * word on, those that keys admit; of slots in all of within_.
  uint64_t decided(size_t word) const {
    uint64_t all = ~uint64_t{0};
    for (const auto& [column, range] : within_) {
      uint64_t marks = 0;
      const KeyRange inside = range.inside();
      kernels().mark_within(column->numbers().data() + 64 * word, inside.least, inside.most, &marks, 1);
      all &= marks;
    }
    return all;
  }
  void keep_marked(Bitset& records) const {
    records.keep_words([this](size_t i, uint64_t) { return i < marks_.size() ? marks_[i] : 0; });
  }

  const Where* where_ = nullptr;
  const Attributes* attributes_ = nullptr;
  std::vector<Equal> equal_;       // what records must have to be admitted
  std::vector<Within> within_;     // likewise
  bool keys_decide_ = false;       // inside all of within_, records are admitted
  std::vector<uint64_t> marks_;    // memory for keep()
  std::vector<Verdict> verdicts_;  // by symbol of the metadata
};

}  // namespace memspan
