// Query-tag routing: the tags nearest to a query's embedding (SwiftMem 3.2.3, equations 3 and 4).
//
// A tag's vector is the embedding given for it or, without one, the mean of its records' embeddings. Few tags are
// compared one by one; many are searched through an HNSW graph whose answers are scored exactly. Vectors and graph
// follow the tags lazily: a write only notes which tags changed.
//
// Thread safety: route() may be called by many readers at once; changed() and the tables that are passed
// in need the user's write lock. hnswlib's own persistence and its concurrent add and search are not used.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/fair_shared_mutex.hpp"
#include "memspan/index.hpp"
#include "tags/tag_dag.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {

class TagRouter {
 public:
  // Above so many tags with a vector, `automatic` uses the graph.
  static constexpr size_t kExactLimit = 4096;

  explicit TagRouter(size_t dim);
  ~TagRouter();

  // The tag's records, their embeddings, its own embedding or its existence changed. O(1).
  void changed(TagId tag);

  // The k best tags with their cosine, best first; equal cosines by name. Tags without a vector never come.
  // O(tags dim), or O(log tags dim) through the graph.
  std::vector<std::pair<TagId, float>> route(const float* unit_query, size_t k, RouteMethod method, const TagDag& tags,
                                             const VectorTable& vectors) const;

  size_t bytes() const;

 private:
  struct Graph;

  void refresh(const TagDag& tags, const VectorTable& vectors) const;
  void refresh_tag(TagId tag, const TagDag& tags, const VectorTable& vectors) const;
  void build_graph() const;
  std::vector<TagId> graph_candidates(const float* unit_query, size_t k) const;

  size_t dim_;
  mutable FairSharedMutex mutex_;  // guards what follows between readers
  mutable std::vector<float> rows_;  // by tag; unit length
  mutable std::vector<uint8_t> present_;
  mutable size_t count_ = 0;         // of present rows
  mutable std::vector<TagId> dirty_;
  mutable std::vector<uint8_t> is_dirty_;
  mutable std::unique_ptr<Graph> graph_;  // null until the first search through it
};

}  // namespace memspan
