// What is counted of one user: records, words, tags, bytes.
#include "base/bitset.hpp"
#include "index/user_index.hpp"

namespace memspan {
namespace {

// Of all records; those of `c.sessions` have one that is not retired. O(slots / 64 + retired).
size_t count_sessions(const UserColumns& c) {
  size_t count = c.sessions.size();
  Bitset seen;
  c.standing.for_each_retired([&](Slot slot) {
    const StringPool::Symbol session = c.attributes.session(slot);
    if (session == StringPool::kNone || !c.sessions.turns(session).empty()) return;
    if (session >= seen.size()) seen.resize(session + 1);
    if (seen.test(session)) return;
    seen.set(session);
    ++count;
  });
  return count;
}

}  // namespace

UserStats UserIndex::stats_locked() const {
  const UserColumns& c = columns_;
  UserStats stats;
  stats.records = c.live_count();
  stats.embeddings = c.vectors.count();
  stats.documents = c.lexical.documents();
  stats.tokens = c.lexical.tokens();
  stats.terms = c.lexical.terms();
  stats.tags = c.tags.size();
  stats.relations = c.tags.graph().edges();
  stats.sessions = count_sessions(c);
  stats.dead_slots = c.slots() - c.live_count();
  for (size_t kind = 0; kind < kKindCount; ++kind) stats.kinds[kind] = c.attributes.count(static_cast<Kind>(kind));
  stats.pinned = c.attributes.states().pinned();
  stats.retired = c.attributes.states().retired();
  stats.expiring = c.attributes.states().expiring();
  if (c.timeline.size() > 0) {
    stats.earliest = c.timeline.entries().front().at();
    stats.latest = c.timeline.entries().back().at();
  }
  stats.bytes = bytes_locked();
  stats.mapped_bytes = c.vectors.mapped_bytes() + c.lexical.mapped_bytes() + c.tags.mapped_bytes();
  return stats;
}

size_t UserIndex::bytes_locked() const {
  const UserColumns& c = columns_;
  return sizeof(UserIndex) + c.ids.bytes() + c.ats.bytes() + c.live.bytes() + c.timeline.bytes() + c.sessions.bytes() +
         c.attributes.bytes() + c.uses.bytes() + c.standing.bytes() + c.bounds.bytes() + c.evictions.bytes() + c.tags.bytes() +
         c.router.bytes() + c.lexical.bytes() + c.retired_words.bytes() + c.vectors.bytes();
}

}  // namespace memspan
