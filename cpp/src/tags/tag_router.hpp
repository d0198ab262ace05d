// Query-tag routing: the tags nearest to a query's embedding (SwiftMem 3.2.3, equations 3 and 4).
//
// A tag's vector is the embedding given for it or, without one, the mean of its records' embeddings. Few tags are
// compared one by one; many are searched through an HNSW graph whose answers are scored exactly. Vectors and graph
// follow the tags lazily: a write only notes which tags changed. Of a tag with many records that was routed to once,
// the sum of its records is kept and follows each of them, in double precision, so that a search after a write costs
// O(dim) for each changed tag; the first search reads all records of the tags. Before it, nothing is kept or noted.
//
// Thread safety: route() may be called by many readers at once; the functions that note changes, and the tables that
// are passed in, need the user's write lock. hnswlib's own persistence and its concurrent add and search are not used.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memspan/index.hpp"
#include "tags/tag_dag.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

class TagRouter {
 public:
  // Above so many tags with a vector, `automatic` uses the graph.
  static constexpr size_t kExactLimit = 4096;

  explicit TagRouter(size_t dim) : dim_(dim) {}
  ~TagRouter();
  TagRouter(TagRouter&& other) noexcept : dim_(other.dim_), state_(other.state_.exchange(nullptr)) {}
  TagRouter& operator=(TagRouter&& other) noexcept {
    state_ = other.state_.exchange(state_);
    return *this;
  }

  // The tag's set of records, its own embedding or its existence changed. O(1).
  void changed(TagId tag);
  // Makes room to note changes of tags below `capacity`; after that, noting one needs no memory.
  void cover(size_t capacity);
  // A record with this embedding (empty: none) got or is about to lose the tag. O(dim) at most.
  void record_added(TagId tag, std::span<const float> embedding) { adjust(tag, embedding, 1.0); }
  void record_removed(TagId tag, std::span<const float> embedding) { adjust(tag, embedding, -1.0); }

  // Does what the first search would do, if `other` was searched.
  void follow(const TagRouter& other, const TagDag& tags, const VectorTable& vectors);

  // The k best tags with their cosine, best first; equal cosines by name. Tags without a vector never come.
  // O(tags dim), or O(log tags dim) through the graph.
  std::vector<std::pair<TagId, float>> route(const float* unit_query, size_t k, RouteMethod method, const TagDag& tags,
                                             const VectorTable& vectors) const;

  size_t bytes() const;

 private:
  struct State;

  State& state(size_t capacity) const;
  void adjust(TagId tag, std::span<const float> embedding, double sign);

  size_t dim_;
  mutable std::atomic<State*> state_ = nullptr;  // null until the first search
};

}  // namespace memspan
