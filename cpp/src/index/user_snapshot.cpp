// UserIndex::save and load: what is stored of one user (snapshot/body.hpp).
//
//   head := u64 records; their ids (base/id_table.hpp); i64 at of each; then timeline, attributes, uses, redundancies,
//           tags, lexical index, retired words and vectors (see each)
//
// Records are numbered anew: dead slots are left out, and those with a vector come first.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "index/user_index.hpp"

namespace memspan {

UserIndex::Saved UserIndex::save(ByteWriter& head, BodyWriter& body) const {
  const std::shared_lock reading(mutex_);
  const UserColumns& c = columns_;
  c.uses.begin_save();  // what is used from here on makes this image old
  const uint64_t changes = changes_locked();
  std::vector<Slot> live;
  live.reserve(c.live_count());
  c.live.for_each([&](Slot slot) { live.push_back(slot); });
  std::stable_partition(live.begin(), live.end(), [&](Slot slot) { return c.vectors.has(slot); });
  head.put<uint64_t>(live.size());
  std::vector<Slot> new_slots(c.slots(), kNoSlot);
  for (Slot i = 0; i < live.size(); ++i) new_slots[live[i]] = i;
  c.ids.save(head, live);
  head.put_each<Micros>(live.size(), [&](size_t i) { return c.ats[live[i]]; });
  c.timeline.save(head, new_slots);
  c.attributes.save(head, live);
  c.uses.save(head, live);
  c.evictions.save(head, live);
  c.tags.save(head, live);
  c.lexical.save(head, body, live, new_slots);
  c.retired_words.save(head, c.lexical);
  c.vectors.save(head, body, live);
  return {UserSummary::of(stats_locked()), changes};
}

void UserIndex::verify() const {
  const std::shared_lock reading(mutex_);
  columns_.lexical.check_all();
  columns_.vectors.check_all();
}

void UserIndex::load(ByteReader& in, const Body& body) {
  const std::unique_lock writing(mutex_);
  UserColumns& c = columns_;
  const uint64_t count = in.get_count(sizeof(uint16_t) + sizeof(Micros));
  in.check(count <= limits::kRecordsPerUser, "too many records");
  c.ids.load(in, count);
  const std::vector<Micros> ats = in.get_each<Micros>(count);
  const auto [earliest, latest] = std::minmax_element(ats.begin(), ats.end());
  in.check(count == 0 || (*earliest >= kMinTime && *latest <= kMaxTime), "a record's time is out of range");
  const Micros* next_at = ats.data();
  c.ats.fill(count, [&](std::span<Micros> column) {
    std::copy_n(next_at, column.size(), column.begin());
    next_at += column.size();
  });
  c.live.assign(count, true);
  c.timeline.load(in, count, c.recency());
  c.attributes.load(in, count);
  c.uses.load(in, count);
  c.evictions.load(in, count);
  std::vector<StringPool::Symbol> sessions(count);
  for (Slot slot = 0; slot < count; ++slot) sessions[slot] = c.attributes.session(slot);
  const RecordStates& states = c.attributes.states();
  for (Slot slot = 0; states.retired() + states.expiring() > 0 && slot < count; ++slot) {
    c.standing.add(slot, states.retired_at(slot), states.expires_at(slot));
    if (c.standing.retired(slot)) sessions[slot] = StringPool::kNone;
  }
  for (Slot slot = 0; slot < count; ++slot) c.bounds.add(slot, c.times(slot));
  c.sessions.build(sessions, c.timeline);
  c.tags.load(in, count, c.vectors.dim());
  for (TagId tag = 0; tag < c.tags.capacity(); ++tag) c.router.changed(tag);
  c.lexical.load(in, body, count);
  c.retired_words.load(in, c.lexical);
  c.vectors.load(in, body, ats);
  in.check(in.left() == 0, "bytes are left after the last column");
}

}  // namespace memspan
