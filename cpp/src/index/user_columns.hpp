// Everything that is stored about one user: parallel columns by slot, and the structures over them.
#pragma once

#include <string>
#include <vector>

#include "attributes/attributes.hpp"
#include "base/bitset.hpp"
#include "base/hash_map.hpp"
#include "base/recency.hpp"
#include "lexical/lexical_index.hpp"
#include "memspan/types.hpp"
#include "tags/tag_dag.hpp"
#include "tags/tag_router.hpp"
#include "timeline/sessions.hpp"
#include "timeline/timeline.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

struct UserColumns {
  explicit UserColumns(size_t dim) : router(dim), vectors(dim) {}

  Recency recency() const { return Recency(ats, ids); }
  size_t slots() const { return ids.size(); }  // dead ones included
  size_t live_count() const { return slot_of.size(); }

  std::vector<std::string> ids;  // empty for a dead slot
  std::vector<Micros> ats;
  StringMap<Slot> slot_of;  // by id; live records only
  Bitset live;

  Timeline timeline;
  Sessions sessions;
  Attributes attributes;
  TagDag tags;
  TagRouter router;
  LexicalIndex lexical;
  VectorTable vectors;
};

}  // namespace memspan
