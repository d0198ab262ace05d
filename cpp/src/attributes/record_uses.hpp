// How often searches brought each record, and when they did last.
//
// Thread safety: `note` and `take` may run in parallel with each other and with the const members, because they change
// single numbers with relaxed atomic operations; all else needs exclusion. What a search has in hand costs it one such
// addition and one store for each hit, in one cache line that was asked for before. Memory: 12 bytes a slot once
// counting has begun, a pointer before.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/prefetch.hpp"
#include "memspan/types.hpp"

namespace memspan {

class RecordUses {
 public:
  // Seconds since 1970, until 2106.
  using Seconds = uint32_t;

  static Seconds to_seconds(Micros time);

  bool counting() const { return counts_ != nullptr; }
  // Nothing changes if uses are counted already, or if that throws.
  void start(size_t slots);

  // `slot` is new or was removed. If that throws, nothing has changed.
  void add(Slot slot);
  void remove(Slot slot) noexcept;

  // Both only while uses are counted.
  void prefetch(Slot slot) const { prefetch_line_to_write(&counts_->fresh[slot]); }
  void note(Slot slot, Seconds now) const {
    Fresh& fresh = counts_->fresh[slot];
    __atomic_fetch_add(&fresh.count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&fresh.last, __ATOMIC_RELAXED) < now) __atomic_store_n(&fresh.last, now, __ATOMIC_RELAXED);
  }
  // To be called after notes.
  void noted() const {
    Counts& counts = *counts_;
    if (!counts.has_fresh.load(std::memory_order_relaxed)) counts.has_fresh.store(true, std::memory_order_relaxed);
    if (!counts.unsaved.load(std::memory_order_relaxed) && !counts.unsaved.exchange(true, std::memory_order_relaxed)) {
      counts.generation.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // All uses of the record.
  uint32_t count(Slot slot) const {
    if (!knows(slot)) return 0;
    const uint64_t sum = uint64_t{__atomic_load_n(&counts_->totals[slot], __ATOMIC_RELAXED)} +
                         __atomic_load_n(&counts_->fresh[slot].count, __ATOMIC_RELAXED);
    return static_cast<uint32_t>(std::min<uint64_t>(sum, std::numeric_limits<uint32_t>::max()));
  }
  Micros last(Slot slot) const;  // kMinTime: never

  // May there be uses that `take` has not handed out?
  bool has_fresh() const { return counts_ && counts_->has_fresh.load(std::memory_order_relaxed); }
  void expect_none() const { counts_->has_fresh.store(false, std::memory_order_relaxed); }  // where there were some
  // The uses since the last call; they count as before. To be followed by `taken` if there were some.
  uint32_t take(Slot slot) const;
  // What was saved before says that they wait to be taken. Never left out for a mark of others, who may be behind with
  // what they tell: a save after this one's mark has all that was taken before it.
  void taken() const {
    if (!counts_->unsaved.exchange(true, std::memory_order_acq_rel)) counts_->generation.fetch_add(1, std::memory_order_relaxed);
  }
  // Replaces what is known, while uses are counted.
  void set(Slot slot, uint32_t count, Micros last);

  // What is known of one slot, for a record that is about to be replaced and gets it back.
  struct Kept;
  Kept keep(Slot slot) const;
  void restore(Slot slot, const Kept& kept) noexcept;

  // Grows with the first use, or the first that is taken, after each `save`.
  uint64_t generation() const { return counts_ ? counts_->generation.load(std::memory_order_relaxed) : 0; }

  // Becomes what `other` is, of whose slots it has `live`. If that counts, so must this. O(live). Needs no memory.
  void take_over(const RecordUses& other, std::span<const Slot> live) noexcept;
  void begin_save() const {
    if (counts_) counts_->unsaved.exchange(false, std::memory_order_acq_rel);
  }
  void save(ByteWriter& out, std::span<const Slot> live) const;
  void load(ByteReader& in, size_t slots);
  size_t bytes() const { return counts_ ? sizeof(Counts) + counts_->fresh.bytes() + counts_->totals.bytes() : 0; }

 private:
  struct Fresh {
    uint32_t count = 0;  // not handed out yet
    Seconds last = 0;    // 0: never
  };

  struct Counts {
    ChunkedVector<Fresh> fresh;
    ChunkedVector<uint32_t> totals;  // without the fresh ones
    std::atomic<bool> has_fresh = false;
    std::atomic<bool> unsaved = false;
    std::atomic<uint64_t> generation = 0;
  };

  bool knows(Slot slot) const { return counts_ && slot < counts_->totals.size(); }

  std::unique_ptr<Counts> counts_;  // null: nothing is counted
};

struct RecordUses::Kept {
  Fresh fresh;
  uint32_t total = 0;
};

// Counts the hits of one search, or nothing.
class UseCounter {
 public:
  UseCounter() = default;
  UseCounter(const RecordUses& uses, bool wanted);
  ~UseCounter() {
    if (noted_) uses_->noted();
  }
  UseCounter(const UseCounter&) = delete;
  UseCounter& operator=(const UseCounter&) = delete;

  void prefetch(Slot slot) const {
    if (uses_ != nullptr) uses_->prefetch(slot);
  }
  void note(Slot slot) const {
    if (uses_ == nullptr) return;
    uses_->note(slot, now_);
    noted_ = true;
  }

 private:
  const RecordUses* uses_ = nullptr;  // null: nothing is counted
  RecordUses::Seconds now_ = 0;
  mutable bool noted_ = false;
};

}  // namespace memspan
