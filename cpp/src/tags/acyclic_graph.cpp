#include "tags/acyclic_graph.hpp"

#include <algorithm>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

void insert_sorted(std::vector<TagId>& values, TagId value) {
  values.insert(std::lower_bound(values.begin(), values.end(), value), value);
}

void erase_sorted(std::vector<TagId>& values, TagId value) {
  values.erase(std::lower_bound(values.begin(), values.end(), value));
}

}  // namespace

TagId AcyclicGraph::add_node() {
  TagId node;
  if (free_.empty()) {
    node = static_cast<TagId>(nodes_.size());
    // So that removing a node needs no memory.
    if (node >= free_.capacity()) free_.reserve(size_t{node} + node / 2 + 1);
    nodes_.push_back(Node());
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node].order = next_order_++;
  return node;
}

void AcyclicGraph::remove_node(TagId node) {
  const std::unique_ptr<Edges> removed = std::move(nodes_[node].edges);
  if (removed) {
    for (TagId parent : removed->parents) erase_sorted(nodes_[parent].edges->children, node);
    for (TagId child : removed->children) erase_sorted(nodes_[child].edges->parents, node);
    edges_ -= removed->parents.size() + removed->children.size();
  }
  nodes_[node] = Node();
  free_.push_back(node);
}

bool AcyclicGraph::has_edge(TagId parent, TagId child) const {
  const std::span<const TagId> below = children(parent);
  return std::binary_search(below.begin(), below.end(), child);
}

bool AcyclicGraph::remove_edge(TagId parent, TagId child) {
  if (!has_edge(parent, child)) return false;
  erase_sorted(nodes_[parent].edges->children, child);
  erase_sorted(nodes_[child].edges->parents, parent);
  --edges_;
  return true;
}

std::optional<std::vector<TagId>> AcyclicGraph::add_edge(TagId parent, TagId child) {
  if (parent == child) return std::vector<TagId>{parent};
  if (has_edge(parent, child)) return std::nullopt;

  const uint32_t lower = nodes_[child].order;
  const uint32_t upper = nodes_[parent].order;
  if (lower < upper) {
    // The order contradicts the edge: what lies between, reachable from the child, must move behind what reaches the
    // parent. A cycle exists only if the parent itself is reachable from the child.
    HashSet<TagId> seen{child};
    std::vector<TagId> after{child};
    for (size_t i = 0; i < after.size(); ++i) {
      for (TagId next : children(after[i])) {
        if (next == parent) return path(child, parent);
        if (nodes_[next].order < upper && seen.insert(next).second) after.push_back(next);
      }
    }
    seen = {parent};
    std::vector<TagId> before{parent};
    for (size_t i = 0; i < before.size(); ++i) {
      for (TagId next : parents(before[i])) {
        if (nodes_[next].order > lower && seen.insert(next).second) before.push_back(next);
      }
    }

    const auto by_order = [this](TagId a, TagId b) { return nodes_[a].order < nodes_[b].order; };
    std::sort(before.begin(), before.end(), by_order);
    std::sort(after.begin(), after.end(), by_order);
    std::vector<TagId> moved = before;
    moved.insert(moved.end(), after.begin(), after.end());
    std::vector<uint32_t> orders;
    orders.reserve(moved.size());
    for (TagId node : moved) orders.push_back(nodes_[node].order);
    std::sort(orders.begin(), orders.end());
    for (size_t i = 0; i < moved.size(); ++i) nodes_[moved[i]].order = orders[i];
  }

  insert_sorted(make_edges(parent).children, child);
  insert_sorted(make_edges(child).parents, parent);
  ++edges_;
  return std::nullopt;
}

std::vector<TagId> AcyclicGraph::path(TagId from, TagId to) const {
  HashMap<TagId, TagId> came_from{{from, from}};
  std::vector<TagId> queue{from};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (TagId next : children(queue[i])) {
      if (came_from.emplace(next, queue[i]).second) queue.push_back(next);
    }
  }
  std::vector<TagId> nodes{to};
  while (nodes.back() != from) nodes.push_back(came_from.at(nodes.back()));
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<std::pair<TagId, uint32_t>> AcyclicGraph::descend(std::span<const TagId> starts, uint32_t depth) const {
  HashSet<TagId> seen;
  std::vector<std::pair<TagId, uint32_t>> reached;
  for (TagId start : starts) {
    if (seen.insert(start).second) reached.emplace_back(start, 0);
  }
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto [node, distance] = reached[i];
    if (distance == depth) continue;
    for (TagId child : children(node)) {
      if (seen.insert(child).second) reached.emplace_back(child, distance + 1);
    }
  }
  return reached;
}

std::vector<uint32_t> AcyclicGraph::specificities() const {
  std::vector<TagId> sorted;
  for (TagId node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].order != kUnused) sorted.push_back(node);
  }
  std::sort(sorted.begin(), sorted.end(), [this](TagId a, TagId b) { return nodes_[a].order < nodes_[b].order; });
  std::vector<uint32_t> lengths(nodes_.size(), 0);
  for (TagId node : sorted) {
    for (TagId child : children(node)) lengths[child] = std::max(lengths[child], lengths[node] + 1);
  }
  return lengths;
}

size_t AcyclicGraph::bytes() const {
  size_t total = nodes_.bytes() + free_.capacity() * sizeof(TagId);
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (!nodes_[node].edges) continue;
    const Edges& edges = *nodes_[node].edges;
    total += sizeof(Edges) + (edges.parents.capacity() + edges.children.capacity()) * sizeof(TagId);
  }
  return total;
}

}  // namespace memspan
