// What a query's `where` says of the metadata of a user, asked once for all records that share it. Keeps its memory between
// searches; valid while the user's lock is held.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "attributes/attributes.hpp"
#include "attributes/where.hpp"
#include "base/bitset.hpp"

namespace memspan {

class WhereVerdicts {
 public:
  // O(different metadata), a byte each.
  void start(const Where& where, const Attributes& attributes) {
    where_ = &where;
    attributes_ = &attributes;
    verdicts_.assign(attributes.metadata_symbols(), Verdict::open);
  }

  bool admits(Slot slot) { return admits_symbol(attributes_->metadata_symbol(slot)); }

  // Leaves in a set of records those that are admitted. O(records).
  void keep(Bitset& records) {
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

  size_t bytes() const { return verdicts_.capacity() * sizeof(Verdict); }

 private:
  enum class Verdict : uint8_t { open, admitted, refused };

  bool admits_symbol(MetadataPool::Symbol symbol) {
    Verdict& verdict = verdicts_[symbol];
    if (verdict == Verdict::open) {
      verdict = where_->matches(attributes_->metadata_of(symbol)) ? Verdict::admitted : Verdict::refused;
    }
    return verdict == Verdict::admitted;
  }

  const Where* where_ = nullptr;
  const Attributes* attributes_ = nullptr;
  std::vector<Verdict> verdicts_;  // by symbol of the metadata
};

}  // namespace memspan
