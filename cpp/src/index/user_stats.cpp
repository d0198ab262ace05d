// What is counted of one user: records, words, tags, bytes.
#include "index/user_index.hpp"

namespace memspan {

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
  stats.sessions = c.sessions.size();
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
