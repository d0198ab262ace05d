// A user's tags: their records and their hierarchy (SwiftMem 3.2, definition 3.1).
//
// Names are normalised before they come here (lexical/tag_name.hpp). A tag exists while it has a record, a relation or
// an embedding of its own. Thread safety: const members may run in parallel; writes need exclusion.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/hash_map.hpp"
#include "base/text_arena.hpp"
#include "memspan/stats.hpp"
#include "memspan/types.hpp"
#include "snapshot/body.hpp"
#include "tags/acyclic_graph.hpp"
#include "tags/tag_records.hpp"

namespace memspan {

class TagDag {
 public:
  // Called with a tag whose embedding, existence or set of records changed, so that the router can follow; not for the
  // coming and going of one record, which its caller knows.
  using Changed = std::function<void(TagId)>;
  using Slots = TagRecords::Slots;

  std::optional<TagId> find(std::string_view name) const;
  TagId find_or_create(std::string_view name);
  // Valid until the next change.
  std::string_view name(TagId tag) const { return names_.text(tags_[tag].name); }
  bool exists(TagId tag) const { return tag < tags_.size() && tags_[tag].name != TextArena::kNone; }

  // Records. `slot` must be without tags; `names` must be distinct. O(log) and the move of at most one block for each
  // of the record's tags. If that throws, nothing has changed.
  void add_record(Slot slot, std::span<const std::string> names);
  // Tags that are left without records, relations and embedding vanish. Needs check() before.
  void remove_record(Slot slot, const Changed& changed);
  // These read what a snapshot says first, as all that changes or lists tags does, and throw what TagRecords::check() throws.
  RecordTags::List tags_of(Slot slot) const { return records_.of(slot); }
  const Slots& records(TagId tag) const { return records_.carriers(tag); }  // ascending
  void check() const { records_.check(); }

  // Hierarchy. relate throws TagCycle, naming the path, and creates missing tags otherwise.
  bool relate(std::string_view parent, std::string_view child);
  bool unrelate(std::string_view parent, std::string_view child);
  const AcyclicGraph& graph() const { return graph_; }

  // The embedding given for the tag itself; unit length, or empty.
  std::span<const float> embedding(TagId tag) const {
    return has_embedding(tag) ? std::span<const float>(*embeddings_[tag]) : std::span<const float>();
  }
  void set_embedding(TagId tag, std::vector<float> unit_vector, const Changed& changed);

  // Moves records, relations and (while `into` has none) the embedding of each tag in `from` to `into`, then erases
  // them. `from` must be distinct and without `into`. Relations among them vanish. Throws TagCycle if the union of the
  // relations would hold a cycle; that changes nothing, but an `into` that was created for the merge is erased.
  void merge(std::span<const TagId> from, TagId into, const Changed& changed);
  void rename(TagId tag, std::string_view name);  // the name must be free
  void drop(TagId tag, const Changed& changed);   // from its records and relations too

  // Is there a tag for who does not see the records that `hidden` names: does another carry it, or has it a place in the
  // hierarchy or an embedding of its own? O(1) where one of the first is seen, O(records of the tag) at worst.
  using Hidden = std::function<bool(Slot)>;
  bool shows(TagId tag, const Hidden& hidden) const;
  // Sorted by name. With `hidden`: without the records that it names, and without tags that do not show.
  std::vector<TagInfo> list(const Hidden& hidden = nullptr) const;
  std::vector<std::string> names(const Hidden& hidden = nullptr) const;
  size_t size() const { return cells_.size(); }
  size_t capacity() const { return tags_.size(); }  // tag numbers are below this

  void save(ByteWriter& out, BodyWriter& body, std::span<const Slot> live) const;
  void load(ByteReader& in, const Body& body, size_t slots, size_t dim);
  size_t bytes() const;
  size_t mapped_bytes() const { return records_.mapped_bytes(); }

 private:
  struct Tag {
    TextArena::Ref name = TextArena::kNone;  // kNone: a number that is free
  };
  struct HashOfName {
    const TagDag& dag;
    uint64_t operator()(TagId tag) const { return StringHash()(dag.name(tag)); }
    void prefetch(TagId tag) const { dag.names_.prefetch(dag.tags_[tag].name); }
  };
  using Embedding = std::unique_ptr<std::vector<float>>;  // null: none

  bool has_embedding(TagId tag) const { return tag < embeddings_.size() && embeddings_[tag]; }
  // If that throws, nothing has changed.
  Embedding& embedding_place(TagId tag) {
    if (tag >= embeddings_.size()) embeddings_.resize(size_t{tag} + 1);
    return embeddings_[tag];
  }

  void erase(TagId tag, const Changed& changed);
  bool stands_alone(TagId tag) const;
  void erase_if_unused(TagId tag, const Changed& changed);
  void forget(TagId tag);  // all but the graph's node

  ChunkedVector<Tag, 64> tags_;  // indexed by TagId, as the graph's nodes are
  ChunkedVector<Embedding, 64> embeddings_;  // up to the last tag that had one of its own
  TextArena names_;
  HashCells cells_;  // of the names
  AcyclicGraph graph_;
  TagRecords records_;
};

}  // namespace memspan
