// UserIndex: quotas, evictions, pins, and counts of uses.
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <shared_mutex>

#include "base/hash_map.hpp"
#include "index/user_index.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

// A slice is over within a fraction of a millisecond.
constexpr size_t kSliceSlots = 4096;
constexpr size_t kIdsAtOnce = 32;

Micros now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace

void UserIndex::make_order(const Quotas& quotas) {
  for (;;) {
    const std::unique_lock writing(mutex_);
    if (columns_.evictions.ready(columns_, quotas)) return;
    columns_.evictions.follow(quotas);
    columns_.evictions.cover(columns_, kSliceSlots);
  }
}

void UserIndex::check_room(std::span<const NewRecord> records, const Quotas& quotas) {
  if (!quotas.limit_any()) return;
  make_order(quotas);
  const std::shared_lock reading(mutex_);
  check_room_locked(records, quotas);
}

// Only pinned records can stand in the way: whatever else is there, or comes, can be evicted.
void UserIndex::check_room_locked(std::span<const NewRecord> records, const Quotas& quotas) const {
  struct Count {
    size_t pinned = 0;
    bool others = false;  // do unpinned ones come?
  };
  std::array<Count, kKindCount> counts;
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    const auto each = static_cast<Kind>(kind);
    if (quotas.limits(each)) counts[kind].pinned = columns_.attributes.count(each) - columns_.evictions.evictable(each);
  }
  for (const NewRecord& record : records) {
    Count& count = counts[static_cast<size_t>(record.input.kind)];
    count.pinned += record.input.pinned;
    count.others |= !record.input.pinned;
    const Slot old = columns_.ids.find(record.input.id, record.id_hash);
    if (old == kNoSlot || !columns_.attributes.states().pinned(old)) continue;
    const Kind old_kind = columns_.attributes.kind(old);
    if (quotas.limits(old_kind)) --counts[static_cast<size_t>(old_kind)].pinned;
  }
  for (const NewRecord& record : records) {
    const auto kind = static_cast<size_t>(record.input.kind);
    if (!quotas.limits(record.input.kind) || counts[kind].pinned + counts[kind].others <= quotas.capacities[kind]) continue;
    throw QuotaExceeded("no room for '" + std::string(record.input.id) + "': user '" + std::string(record.input.user) +
                        "' may have " + std::to_string(quotas.capacities[kind]) + " " + std::string(kKindNames[kind]) +
                        " records, and those that have to stay, pinned or brought back with it, are more: unpin some, bring back "
                        "fewer, or raise the quota");
  }
}

// Evicts up to `most` records.
void UserIndex::evict_locked(Kind kind, size_t most, std::vector<std::string>& evicted) {
  const Micros time = now();
  for (; most > 0; --most) {
    const Slot slot = columns_.evictions.next(columns_, kind, time);
    if (slot == kNoSlot) return;
    check(slot);
    columns_.lexical.make_room_to_depart();
    columns_.ids.prefetch_hash(slot);
    evicted.emplace_back(columns_.ids[slot]);
    ++changes_;
    erase(slot, kAllColumns, Leaving::evicted);
    sweep_words();
  }
}

// Does what an eviction owes to the sweep of the inverted lists. Without memory that waits for the next one.
void UserIndex::sweep_words() {
  try {
    columns_.lexical.sweep([&](Slot slot) { columns_.ids.free(slot); });
  } catch (const std::bad_alloc&) {
  }
}

std::vector<std::string> UserIndex::evict(const Quotas& quotas, size_t most) {
  std::vector<std::string> evicted;
  bool compacting = false;
  make_order(quotas);
  for (size_t kind = 0; kind < kKindCount; ++kind) {
    if (!quotas.limits(static_cast<Kind>(kind))) continue;
    for (;;) {
      const std::unique_lock writing(mutex_);
      if (!columns_.evictions.ready(columns_, quotas)) break;  // others were set meanwhile: theirs is the next call
      const size_t count = columns_.attributes.count(static_cast<Kind>(kind));
      const size_t before = evicted.size();
      if (count > quotas.capacities[kind]) {
        const size_t slice = std::min<size_t>(count - quotas.capacities[kind], kIdsAtOnce);
        evict_locked(static_cast<Kind>(kind), std::min(slice, most - before), evicted);
      }
      if (evicted.size() > before) continue;
      need_.update(columns_.vectors);
      compacting = worth_compacting();
      break;
    }
  }
  if (compacting) compact();
  return evicted;
}

size_t UserIndex::pin(std::span<const std::string_view> ids, bool pinned) {
  size_t found = 0;
  for (size_t first = 0; first < ids.size(); first += kIdsAtOnce) {
    const std::unique_lock writing(mutex_);
    for (const std::string_view id : ids.subspan(first, std::min(kIdsAtOnce, ids.size() - first))) {
      const Slot slot = columns_.ids.find(id);
      if (slot == kNoSlot) continue;
      ++found;
      if (columns_.attributes.states().pinned(slot) == pinned) continue;
      ++changes_;
      columns_.attributes.pin(slot, pinned);
      columns_.evictions.renew(columns_, slot);
    }
  }
  return found;
}

void UserIndex::start_counting() {
  const std::unique_lock writing(mutex_);
  columns_.uses.start(columns_.slots());
}

size_t UserIndex::note_uses(std::span<const std::string_view> ids) const {
  const RecordUses::Seconds time = RecordUses::to_seconds(now());
  const std::shared_lock reading(mutex_);
  if (!columns_.uses.counting()) return 0;
  size_t found = 0;
  for (const std::string_view id : ids) {
    const Slot slot = columns_.ids.find(id);
    if (slot == kNoSlot) continue;
    columns_.uses.note(slot, time);
    ++found;
  }
  if (found > 0) columns_.uses.noted();
  return found;
}

Uses UserIndex::take_uses() const {
  Uses taken;
  const RecordUses& uses = columns_.uses;
  uint32_t compactions;
  {
    const std::shared_lock reading(mutex_);
    if (!uses.has_fresh()) return taken;
    uses.expect_none();  // before the first is taken: one that comes meanwhile says so again
    compactions = compactions_;
  }
  for (Slot first = 0;; first += kSliceSlots) {
    const std::shared_lock reading(mutex_);
    if (compactions != compactions_) {  // some may have got slots that were passed; what was taken is not there again
      compactions = compactions_;
      first = 0;
    }
    bool any = false;
    const auto slots = static_cast<Slot>(columns_.slots());
    for (Slot slot = first; slot < std::min<Slot>(slots, first + kSliceSlots); ++slot) {
      const uint32_t count = uses.take(slot);
      any = any || count > 0;
      if (count == 0 || !columns_.live.test(slot)) continue;
      taken.ids.emplace_back(columns_.ids[slot]);
      taken.counts.push_back(count);
      taken.lasts.push_back(uses.last(slot));
    }
    if (any) uses.taken();
    if (slots <= first + kSliceSlots) return taken;
  }
}

size_t UserIndex::set_uses(const Uses& uses) {
  size_t found = 0;
  for (size_t first = 0; first < uses.ids.size(); first += kIdsAtOnce) {
    const std::unique_lock writing(mutex_);
    if (!columns_.uses.counting()) columns_.uses.start(columns_.slots());
    ++changes_;
    for (size_t i = first; i < std::min(uses.ids.size(), first + kIdsAtOnce); ++i) {
      const Slot slot = columns_.ids.find(uses.ids[i]);
      if (slot == kNoSlot) continue;
      columns_.uses.set(slot, uses.counts[i], uses.lasts[i]);
      columns_.evictions.renew(columns_, slot);
      ++found;
    }
  }
  return found;
}

}  // namespace memspan
