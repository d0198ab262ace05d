// A directed graph that stays acyclic: parents point to children.
//
// The topological order is maintained incrementally (Pearce and Kelly, "A dynamic topological sort algorithm for
// directed acyclic graphs", JEA 2007): an edge that agrees with the order costs O(1); another one costs a search over
// the nodes between its ends. Node numbers are handed out densely and reused.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"

namespace memspan {

using TagId = uint32_t;

class AcyclicGraph {
 public:
  AcyclicGraph() = default;
  AcyclicGraph(const AcyclicGraph&) = default;
  AcyclicGraph(AcyclicGraph&&) = default;
  AcyclicGraph& operator=(AcyclicGraph&&) = default;

  TagId add_node();
  // Removes the node's edges as well.
  void remove_node(TagId node);

  // Adds the edge. If that would close a cycle, changes nothing and returns the path that exists from child to parent
  // (both included). An edge that is there already stays as it is.
  std::optional<std::vector<TagId>> add_edge(TagId parent, TagId child);
  // Returns whether the edge was there.
  bool remove_edge(TagId parent, TagId child);
  bool has_edge(TagId parent, TagId child) const;

  // Sorted by node number.
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
  struct Edges {
    std::vector<TagId> parents;
    std::vector<TagId> children;
  };
  struct Node {
    Node() = default;
    Node(Node&&) = default;
    Node& operator=(Node&&) = default;
    Node(const Node& other) : edges(other.edges ? std::make_unique<Edges>(*other.edges) : nullptr), order(other.order) {}

    std::unique_ptr<Edges> edges;  // null: none so far, as for most
    // Position in the topological order; distinct, grows from parent to child. kUnused of a node that is free.
    uint32_t order = kUnused;
  };
  static constexpr uint32_t kUnused = std::numeric_limits<uint32_t>::max();

  const Edges& edges_of(TagId node) const {
    static const Edges kNone;
    return nodes_[node].edges ? *nodes_[node].edges : kNone;
  }
  Edges& make_edges(TagId node) {
    if (!nodes_[node].edges) nodes_[node].edges = std::make_unique<Edges>();
    return *nodes_[node].edges;
  }
  std::vector<TagId> path(TagId from, TagId to) const;

  ChunkedVector<Node, 64> nodes_;
  std::vector<TagId> free_;
  uint32_t next_order_ = 0;
  size_t edges_ = 0;
};

}  // namespace memspan
