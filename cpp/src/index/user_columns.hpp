// Everything that is stored about one user: parallel columns by slot, and the structures over them.
//
// A slot is that of the next record in every column or one that was used and freed. A column's add(slot, ...) that
// throws leaves it as it was, and its remove(slot) needs no memory.
#pragma once

#include "attributes/attributes.hpp"
#include "attributes/record_uses.hpp"
#include "attributes/standing.hpp"
#include "attributes/time_bounds.hpp"
#include "base/bitset.hpp"
#include "base/chunked_vector.hpp"
#include "base/id_table.hpp"
#include "base/recency.hpp"
#include "lexical/lexical_index.hpp"
#include "lexical/retired_words.hpp"
#include "memspan/types.hpp"
#include "quotas/eviction_order.hpp"
#include "tags/tag_dag.hpp"
#include "tags/tag_router.hpp"
#include "timeline/sessions.hpp"
#include "timeline/timeline.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

struct UserColumns {
  explicit UserColumns(const RowShape& shape) : router(shape.dim()), vectors(shape) {}

  Recency recency() const { return Recency(ats, ids); }
  size_t slots() const { return ids.slots(); }  // dead ones included
  size_t live_count() const { return ids.size(); }
  TimeBounds::Times times(Slot slot) const {
    return {ats[slot], attributes.recorded_at(slot), attributes.states().retired_at(slot)};
  }

  IdTable ids;  // hands out the slots
  ChunkedVector<Micros> ats;
  Bitset live;

  Timeline timeline;
  Sessions sessions;
  Attributes attributes;
  RecordUses uses;
  Standing standing;
  TimeBounds bounds;
  TagDag tags;
  TagRouter router;
  LexicalIndex lexical;
  RetiredWords retired_words;
  VectorTable vectors;
  EvictionOrder evictions;
};

}  // namespace memspan
