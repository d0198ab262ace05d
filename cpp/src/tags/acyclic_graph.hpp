// A directed graph that stays acyclic: parents point to children.
//
// The topological order is maintained incrementally (Pearce and Kelly, "A dynamic topological sort algorithm for
// directed acyclic graphs", JEA 2007): an edge that agrees with the order costs O(1); another one costs a search over
// the nodes between its ends. Node numbers are handed out densely and reused. Memory: 8 bytes a node, and 56 for one that
// has had edges, which most have not.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"

namespace memspan {

using TagId = uint32_t;

class AcyclicGraph {
 public:
  TagId add_node();
  // Removes the node's edges as well; needs no memory.
  void remove_node(TagId node) noexcept;

  // Adds the edge. If that would close a cycle, changes nothing and returns the path that exists from child to parent
  // (both included). An edge that is there already stays as it is.
  std::optional<std::vector<TagId>> add_edge(TagId parent, TagId child);
  // Returns whether the edge was there.
  bool remove_edge(TagId parent, TagId child);
  bool has_edge(TagId parent, TagId child) const;

  // Sorted by node number. Of a node that there is: what is kept for a free one leads elsewhere.
  std::span<const TagId> parents(TagId node) const { return edges_of(node).parents; }
  std::span<const TagId> children(TagId node) const { return edges_of(node).children; }

  // Nodes reachable from `starts` within `depth` steps down, with their distance, breadth first; the starts come first
  // at distance 0. O(nodes and edges visited).
  std::vector<std::pair<TagId, uint32_t>> descend(std::span<const TagId> starts, uint32_t depth) const;

  // Length of the longest path from a root to each node: strictly larger for a child than for its parents, so that it
  // grows along every path (SwiftMem, theorem 3.2). O(nodes and edges).
  std::vector<uint32_t> specificities() const;

  size_t edges() const { return edges_; }
  size_t capacity() const { return nodes_.size(); }  // node numbers are below this
  size_t bytes() const;

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  struct Edges {
    std::vector<TagId> parents;
    std::vector<TagId> children;
    uint32_t next_free = kNone;  // of one that no node has
  };
  struct Node {
    // Position in the topological order; distinct, grows from parent to child. A node that is free keeps its own for
    // the next node of its number: one without edges may stand anywhere.
    uint32_t order;
    // In lists_; kNone: it has had no edges. Of a free node: the next free one.
    uint32_t edges = kNone;
  };

  Edges& edges_in(TagId node) { return lists_[nodes_[node].edges]; }  // of a node that has had some
  const Edges& edges_of(TagId node) const {
    static const Edges kNoEdges;
    return nodes_[node].edges == kNone ? kNoEdges : lists_[nodes_[node].edges];
  }
  Edges& make_edges(TagId node);
  std::vector<TagId> path(TagId from, TagId to) const;

  ChunkedVector<Node, 64> nodes_;
  ChunkedVector<Edges, 64> lists_;
  uint32_t free_node_ = kNone;
  uint32_t free_list_ = kNone;
  size_t edges_ = 0;
};

}  // namespace memspan
