// What few records have: a judged importance, a pin, a time from which they are no longer believed, an end of life.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: nothing for a user without any of
// these, otherwise what the sparse columns take around the records that have one.
#pragma once

#include <span>

#include "base/bytes.hpp"
#include "base/lazy.hpp"
#include "base/sparse_column.hpp"
#include "memspan/record.hpp"
#include "memspan/types.hpp"

namespace memspan {

class RecordStates {
 public:
  // `slot` must have no state. If that throws, nothing has changed.
  void add(Slot slot, const RecordInput& record);
  void remove(Slot slot) noexcept;

  // If that throws, nothing has changed.
  void pin(Slot slot, bool pinned);

  // 0-1, or kNotJudged.
  float importance(Slot slot) const {
    const Importance* importance = few_->importances.find(slot);
    return importance == nullptr ? kNotJudged : importance->value;
  }
  bool pinned(Slot slot) const {
    const bool* pin = few_->pins.find(slot);
    return pin != nullptr && *pin;
  }
  // kForever: still believed.
  Micros retired_at(Slot slot) const { return time(few_->retired, slot); }
  // kForever: lives on.
  Micros expires_at(Slot slot) const { return time(few_->expiring, slot); }

  // How many records are judged, are pinned, have a retired_at, have an expires_at.
  uint32_t judged() const { return few_->judged_count; }
  uint32_t pinned() const { return few_->pinned_count; }
  uint32_t retired() const { return few_->retired_count; }
  uint32_t expiring() const { return few_->expiring_count; }

  void save(ByteWriter& out, std::span<const Slot> live) const;
  void load(ByteReader& in, size_t slots);
  size_t bytes() const { return few_.bytes(); }

 private:
  struct Importance {
    float value = kNotJudged;
    friend bool operator==(const Importance&, const Importance&) = default;
  };
  using Times = SparseColumn<uint64_t>;  // kForever - time: 0 for none

  static uint64_t before_forever(Micros time) { return static_cast<uint64_t>(kForever) - static_cast<uint64_t>(time); }
  static Micros time(const Times& times, Slot slot) {
    const uint64_t* distance = times.find(slot);
    return distance == nullptr ? kForever : static_cast<Micros>(static_cast<uint64_t>(kForever) - *distance);
  }

  struct Few {
    SparseColumn<Importance> importances;
    SparseColumn<bool> pins;
    Times retired;
    Times expiring;
    uint32_t judged_count = 0;
    uint32_t pinned_count = 0;
    uint32_t retired_count = 0;
    uint32_t expiring_count = 0;

    size_t bytes() const { return importances.bytes() + pins.bytes() + retired.bytes() + expiring.bytes(); }
  };

  Lazy<Few> few_;
};

}  // namespace memspan
