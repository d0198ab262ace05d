// Query-tag routing: the tags nearest to a query's embedding (SwiftMem 3.2.3, equations 3 and 4).
//
// A tag's vector is the embedding given for it or, without one, the mean of its records' embeddings. All tags are compared;
// an HNSW graph is there for those who ask for it (why: ARCHITECTURE.md). What searches derive from the tags follows them
// lazily: a write only notes which tags changed. Of a tag with many records that was routed to once, the sum of its records is
// kept and follows each of them, in double precision, so that a search after a write costs O(dim) for each changed tag; the
// first search reads all records of the tags. Before it, nothing is kept or noted.
//
// Nothing is read at length under the user's lock: who is about to route calls catch_up, piece by piece, and lets the lock go
// in between; sums that are half made follow the writes that come meanwhile. The graph is built outside of the lock, a point
// at a time, and what it lacks is compared directly.
//
// Thread safety: the const functions may be called by many readers at once, but next_step by one at a time; the functions
// that note changes, and the tables that are passed in, need the user's write lock.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "memspan/index.hpp"
#include "tags/tag_dag.hpp"
#include "tags/tag_graph.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

class TagRouter {
 public:
  explicit TagRouter(size_t dim) : dim_(dim) {}
  ~TagRouter();
  TagRouter(TagRouter&& other) noexcept : dim_(other.dim_), state_(other.state_.exchange(nullptr)) {}
  TagRouter& operator=(TagRouter&& other) noexcept {
    state_ = other.state_.exchange(state_);
    return *this;
  }

  // The tag's set of records, its own embedding or its existence changed. O(1), without memory.
  void changed(TagId tag);
  // A record with this embedding (empty: none) got or is about to lose the tag. O(dim) at most, without memory.
  void record_added(TagId tag, Slot slot, std::span<const float> embedding) { adjust(tag, slot, embedding, 1.0); }
  void record_removed(TagId tag, Slot slot, std::span<const float> embedding) { adjust(tag, slot, embedding, -1.0); }

  // Does what the first search would do, if `other` was searched.
  void follow(const TagRouter& other, const TagDag& tags, const VectorTable& vectors);

  // Numbers that a piece of work reads: some 100 microseconds.
  static constexpr size_t kPiece = size_t{1} << 18;

  // Does route find all vectors up to date? O(1).
  bool ready(const TagDag& tags) const;
  // Reads of what changed as much as has so many numbers; true when nothing is left.
  bool catch_up(const TagDag& tags, const VectorTable& vectors, size_t numbers = kPiece) const;

  // A vector on its way into the graph, or out of it.
  struct GraphStep {
    std::shared_ptr<TagGraph> graph;  // null: a new pass begins
    TagId tag = 0;
    std::vector<float> row;           // empty: it has none any more

    // Needs no lock. O(log tags), some milliseconds.
    void run() const { row.empty() ? graph->erase(tag) : graph->put(tag, row.data()); }
  };
  // The next step towards a graph of the vectors as they are; false if it lacks so few that no other is worth it. A step
  // must have been run before it is handed in for the next one. O(dim).
  bool next_step(GraphStep& step) const;

  // The k best tags with their cosine, best first; equal cosines by name. Tags without a vector never come, nor those that
  // do not show beside `hidden` (TagDag::shows). Catches up with what is left. O(tags dim), or through the graph
  // O(log tags dim), once that is built; O(records of tags) more where nearly none of the best 8 k show.
  std::vector<std::pair<TagId, float>> route(const float* unit_query, size_t k, RouteMethod method, const TagDag& tags,
                                             const VectorTable& vectors, const TagDag::Hidden& hidden = nullptr) const;

  // Is something kept, as since the first search?
  bool was_asked() const { return state_.load(std::memory_order_acquire) != nullptr; }
  size_t bytes() const;

 private:
  struct State;

  State& state() const;
  void adjust(TagId tag, Slot slot, std::span<const float> embedding, double sign);

  size_t dim_;
  mutable std::atomic<State*> state_ = nullptr;  // null until the first search
};

}  // namespace memspan
