// What a query's `where` says of the metadata of a user, asked once for all records that share it, and only of what the codes
// of the fields that it wants to equal something leave. Keeps its memory between searches; valid while the user's lock is held.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "attributes/attributes.hpp"
#include "attributes/where.hpp"
#include "base/bitset.hpp"

namespace memspan {

class WhereVerdicts {
 public:
  // For a search that may ask so many records. O(different metadata), a byte each; the first time that many are asked for a
  // field, it is looked up in all of them.
  void start(const Where& where, const Attributes& attributes, size_t records) {
    where_ = &where;
    attributes_ = &attributes;
    coded_.clear();
    for (const Where::Required& required : where.required()) {
      const FieldCodes::Column* const column = attributes.field_codes(*required.path, records);
      if (column != nullptr) coded_.push_back({column, required.codes});
    }
    verdicts_.assign(attributes.metadata_symbols(), Verdict::open);
  }

  bool admits(Slot slot) {
    for (const Coded& field : coded_) {
      if (!field.column->is_any_of(slot, field.codes)) return false;
    }
    return admits_symbol(attributes_->metadata_symbol(slot));
  }

  // Leaves in a set of records those that are admitted. O(records), 64 at a time where there are codes.
  void keep(Bitset& records) {
    for (const Coded& field : coded_) field.column->keep(field.codes, records, marks_);
    records.keep_words([this](size_t i, uint64_t word) {
      const MetadataPool::Symbol* const symbols = attributes_->metadata_symbols_of(i);
      if (symbols == nullptr) return admits_symbol(MetadataPool::kNone) ? word : 0;
      uint64_t kept = 0;
      for (uint64_t left = word; left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        kept |= uint64_t{admits_symbol(symbols[bit])} << bit;
      }
      return kept;
    });
  }

  size_t bytes() const {
    return verdicts_.capacity() * sizeof(Verdict) + coded_.capacity() * sizeof(Coded) + marks_.capacity() * sizeof(uint64_t);
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

  struct Coded {
    const FieldCodes::Column* column;
    std::span<const FieldCodes::Code> codes;
  };

  const Where* where_ = nullptr;
  const Attributes* attributes_ = nullptr;
  std::vector<Coded> coded_;       // what records must have to be admitted
  std::vector<uint64_t> marks_;    // memory for keep()
  std::vector<Verdict> verdicts_;  // by symbol of the metadata
};

}  // namespace memspan
