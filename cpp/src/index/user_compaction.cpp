// UserIndex: dead slots are handed out again, so that only the removal of most of a user's records makes it worth to
// number those that are left anew, which is O(records); or that of a third, when somebody has time to tidy up. Who replaces
// records again and again leaves dead slots, too, as consolidations hold on to them.
//
// That is done beside the searches, as everything that takes long: the columns are built from an image of themselves
// while only writes wait, and then change places with the old ones.
#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/in_parallel.hpp"
#include "index/columns_image.hpp"
#include "index/user_index.hpp"
#include "snapshot/heap_body.hpp"

namespace memspan {

// By itself after three removals for each record that is built anew, and as many at least as have a mebibyte of vectors, or
// a few thousand of short ones. A consolidation that is under way holds on to the slots.
bool UserIndex::many_dead_slots(Compaction when) const {
  constexpr size_t kFew = 256;
  const size_t live = columns_.live_count();
  const size_t dead = columns_.slots() - live;
  if (when == Compaction::on_demand) return dead > std::max(kFew, live / 2);
  const size_t of_a_mebibyte = (size_t{1} << 20) / (shape_.bytes() + shape_.dim());
  return dead > std::max(std::clamp<size_t>(of_a_mebibyte, kFew, 4096), 3 * live);
}

bool UserIndex::worth_compacting(Compaction when) const { return many_dead_slots(when) && !columns_.vectors.pinned(); }

void UserIndex::compact_if_worth(Compaction when) {
  const bool wanted = [&] {
    const FairSharedMutex::WritersOut reading(mutex_);  // consolidations begin beside readers
    return worth_compacting(when);
  }();
  if (wanted) compact(when);
}

// Without memory everything stays as it is, until the next time. Throws CorruptSnapshot.
void UserIndex::compact(Compaction when) try {
  const WorkerLimit limit(1);  // the other cores are for the searches
  UserColumns built(shape_);  // and later what was there before, freed without the lock
  FairSharedMutex::WritersOut alone(mutex_);
  if (!worth_compacting(when)) return;
  const std::vector<Slot> live = slots_of_image(columns_);
  {
    ByteWriter head;
    HeapBody body(columns_.vectors.count() * (shape_.bytes() + shape_.dim()) + columns_.lexical.bytes());
    save_columns(columns_, live, head, body);
    ByteReader in(head.bytes(), "memory", 0);
    load_columns(in, body.take(), built);
  }
  // What a search would otherwise do as the first one.
  verify_columns(built);
  built.router.follow(columns_.router, built.tags, built.vectors);
  if (columns_.uses.counting()) built.uses.start(live.size());

  const std::lock_guard nobody(alone);
  built.uses.take_over(columns_.uses, live);
  std::swap(columns_, built);
  ++compactions_;
  need_.update(columns_.vectors);
} catch (const std::bad_alloc&) {
}

}  // namespace memspan
