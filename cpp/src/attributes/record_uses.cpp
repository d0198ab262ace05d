#include "attributes/record_uses.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace memspan {
namespace {

constexpr Micros kSecond = 1'000'000;

}  // namespace

RecordUses::Seconds RecordUses::to_seconds(Micros time) {
  return static_cast<Seconds>(std::clamp<Micros>(time / kSecond, 0, std::numeric_limits<Seconds>::max()));
}

UseCounter::UseCounter(const RecordUses& uses, bool wanted) {
  if (!wanted || !uses.counting()) return;
  uses_ = &uses;
  now_ = static_cast<RecordUses::Seconds>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

Micros RecordUses::last(Slot slot) const {
  const Seconds last = knows(slot) ? __atomic_load_n(&counts_->fresh[slot].last, __ATOMIC_RELAXED) : 0;
  return last == 0 ? kMinTime : Micros{last} * kSecond;
}

void RecordUses::start(size_t slots) {
  if (counts_) return;
  auto counts = std::make_unique<Counts>();
  counts->fresh.resize(slots);
  counts->totals.resize(slots);
  counts_ = std::move(counts);
}

void RecordUses::add(Slot slot) {
  if (!counts_ || slot < counts_->totals.size()) return;
  counts_->fresh.resize(size_t{slot} + 1);
  counts_->totals.resize(size_t{slot} + 1);
}

void RecordUses::remove(Slot slot) noexcept { restore(slot, Kept()); }

uint32_t RecordUses::take(Slot slot) const {
  if (!knows(slot)) return 0;
  uint32_t& fresh = counts_->fresh[slot].count;
  if (__atomic_load_n(&fresh, __ATOMIC_RELAXED) == 0) return 0;
  const uint32_t taken = __atomic_exchange_n(&fresh, 0, __ATOMIC_RELAXED);
  uint32_t& total = counts_->totals[slot];
  uint32_t before = __atomic_load_n(&total, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&total, &before, before + std::min(taken, ~before), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return taken;
}

void RecordUses::set(Slot slot, uint32_t count, Micros last) {
  counts_->fresh[slot] = {0, to_seconds(last)};
  counts_->totals[slot] = count;
}

RecordUses::Kept RecordUses::keep(Slot slot) const {
  return knows(slot) ? Kept{counts_->fresh[slot], counts_->totals[slot]} : Kept();
}

void RecordUses::restore(Slot slot, const Kept& kept) noexcept {
  if (!knows(slot)) return;
  counts_->fresh[slot] = kept.fresh;
  counts_->totals[slot] = kept.total;
}

void RecordUses::take_over(const RecordUses& other, std::span<const Slot> live) noexcept {
  if (!other.counts_) return;
  for (size_t i = 0; i < live.size(); ++i) {
    counts_->fresh[i] = other.counts_->fresh[live[i]];
    counts_->totals[i] = other.counts_->totals[live[i]];
  }
  counts_->has_fresh = other.counts_->has_fresh.load();
  counts_->unsaved = other.counts_->unsaved.load();
  counts_->generation = other.counts_->generation.load();
}

// u64 records with a use, u32 slot of each, u32 uses that were handed out of each, u32 fresh ones, u32 last in seconds.
void RecordUses::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> slots;
  std::vector<uint32_t> totals;
  std::vector<Fresh> fresh;
  for (uint32_t i = 0; counts_ && i < live.size(); ++i) {
    const Fresh& each = counts_->fresh[live[i]];
    const uint32_t total = __atomic_load_n(&counts_->totals[live[i]], __ATOMIC_RELAXED);
    const uint32_t count = __atomic_load_n(&each.count, __ATOMIC_RELAXED);
    if (total == 0 && count == 0) continue;
    slots.push_back(i);
    totals.push_back(total);
    fresh.push_back({count, __atomic_load_n(&each.last, __ATOMIC_RELAXED)});
  }
  out.put_array<uint32_t>(slots);
  out.put_each<uint32_t>(slots.size(), [&](size_t i) { return totals[i]; });
  out.put_each<uint32_t>(slots.size(), [&](size_t i) { return fresh[i].count; });
  out.put_each<uint32_t>(slots.size(), [&](size_t i) { return fresh[i].last; });
}

void RecordUses::load(ByteReader& in, size_t slots) {
  const std::vector<uint32_t> used = in.get_array<uint32_t>();
  const std::vector<uint32_t> totals = in.get_each<uint32_t>(used.size());
  const std::vector<uint32_t> counts = in.get_each<uint32_t>(used.size());
  const std::vector<uint32_t> lasts = in.get_each<uint32_t>(used.size());
  if (used.empty()) return;
  start(slots);
  for (size_t i = 0; i < used.size(); ++i) {
    in.check(used[i] < slots && (i == 0 || used[i - 1] < used[i]), "used records are not in order");
    counts_->totals[used[i]] = totals[i];
    counts_->fresh[used[i]] = {counts[i], lasts[i]};
    if (counts[i] > 0) counts_->has_fresh.store(true, std::memory_order_relaxed);
  }
}

}  // namespace memspan
