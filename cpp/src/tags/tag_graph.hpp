// An HNSW graph over vectors of tags (Malkov and Yashunin 2018), by hnswlib.
//
// It is built beside the searches, one vector at a time, by whoever asked for it (TagRouter::next_step): a point takes a
// millisecond or two, which a search does not wait for but does without the graph. Its answers are to be scored exactly.
// hnswlib's own persistence and its concurrent add and search are not used.
//
// Thread safety: any thread may call any member at any time. Memory: 4 dim + some 300 bytes for each tag that it has room
// for, up to twice as many as there are.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/fair_shared_mutex.hpp"
#include "tags/acyclic_graph.hpp"

namespace memspan {

class TagGraph {
 public:
  explicit TagGraph(size_t dim);
  ~TagGraph();

  // The same calls in the same order make the same graph in every process.
  void put(TagId tag, const float* unit_vector);
  void erase(TagId tag);

  // Appends about the `most` nearest. False: the graph is just being changed.
  bool nearest(const float* query, size_t most, std::vector<TagId>& found) const;

  size_t bytes() const { return bytes_; }

 private:
  struct Links;

  mutable FairSharedMutex mutex_;
  std::unique_ptr<Links> links_;
  std::atomic<size_t> bytes_ = 0;  // so that telling them waits for no point
};

}  // namespace memspan
