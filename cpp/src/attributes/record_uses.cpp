#include "attributes/record_uses.hpp"

#include <algorithm>
#include <chrono>
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
  const Seconds last = slot < fresh_.size() ? __atomic_load_n(&fresh_[slot].last, __ATOMIC_RELAXED) : 0;
  return last == 0 ? kMinTime : Micros{last} * kSecond;
}

void RecordUses::start(size_t slots) {
  fresh_.resize(slots);
  totals_.resize(slots);
  counting_ = true;
}

void RecordUses::add(Slot slot) {
  if (!counting_ || slot < totals_.size()) return;
  fresh_.resize(size_t{slot} + 1);
  totals_.resize(size_t{slot} + 1);
}

void RecordUses::remove(Slot slot) noexcept {
  if (slot >= totals_.size()) return;
  fresh_[slot] = Fresh();
  totals_[slot] = 0;
}

uint32_t RecordUses::take(Slot slot) const {
  if (slot >= totals_.size() || __atomic_load_n(&fresh_[slot].count, __ATOMIC_RELAXED) == 0) return 0;
  const uint32_t taken = __atomic_exchange_n(&fresh_[slot].count, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&totals_[slot], taken, __ATOMIC_RELAXED);
  return taken;
}

void RecordUses::set(Slot slot, uint32_t count, Micros last) {
  fresh_[slot] = {0, to_seconds(last)};
  totals_[slot] = count;
}

RecordUses::Kept RecordUses::keep(Slot slot) const {
  return slot < totals_.size() ? Kept{fresh_[slot], totals_[slot]} : Kept();
}

void RecordUses::restore(Slot slot, const Kept& kept) noexcept {
  if (slot >= totals_.size()) return;
  fresh_[slot] = kept.fresh;
  totals_[slot] = kept.total;
}

void RecordUses::take_over(const RecordUses& other, std::span<const Slot> live) noexcept {
  for (size_t i = 0; other.counting_ && i < live.size(); ++i) {
    fresh_[i] = other.fresh_[live[i]];
    totals_[i] = other.totals_[live[i]];
  }
  has_fresh_ = other.has_fresh_.load();
  unsaved_ = other.unsaved_.load();
  generation_ = other.generation_.load();
}

RecordUses& RecordUses::operator=(RecordUses&& other) noexcept {
  counting_ = other.counting_;
  fresh_ = std::move(other.fresh_);
  totals_ = std::move(other.totals_);
  has_fresh_ = other.has_fresh_.load();
  unsaved_ = other.unsaved_.load();
  generation_ = other.generation_.load();
  return *this;
}

// u64 records with a use, u32 slot of each, u32 uses that were handed out of each, u32 fresh ones, u32 last in seconds.
void RecordUses::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> slots;
  std::vector<uint32_t> totals;
  std::vector<Fresh> fresh;
  for (uint32_t i = 0; counting_ && i < live.size(); ++i) {
    const Fresh& each = fresh_[live[i]];
    const uint32_t total = __atomic_load_n(&totals_[live[i]], __ATOMIC_RELAXED);
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
    totals_[used[i]] = totals[i];
    fresh_[used[i]] = {counts[i], lasts[i]};
    if (counts[i] > 0) has_fresh_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace memspan
