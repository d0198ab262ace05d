#include "tags/acyclic_graph.hpp"

#include <algorithm>
#include <utility>

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
  if (free_node_ == kNone) {
    const auto node = static_cast<TagId>(nodes_.size());
    nodes_.push_back({.order = node});
    return node;
  }
  const TagId node = free_node_;
  free_node_ = std::exchange(nodes_[node].edges, kNone);
  return node;
}

void AcyclicGraph::remove_node(TagId node) noexcept {
  const uint32_t list = nodes_[node].edges;
  if (list != kNone) {
    Edges& removed = lists_[list];
    for (TagId parent : removed.parents) erase_sorted(edges_in(parent).children, node);
    for (TagId child : removed.children) erase_sorted(edges_in(child).parents, node);
    edges_ -= removed.parents.size() + removed.children.size();
    removed = Edges();
    removed.next_free = std::exchange(free_list_, list);
  }
  nodes_[node].edges = std::exchange(free_node_, node);
}

AcyclicGraph::Edges& AcyclicGraph::make_edges(TagId node) {
  uint32_t& list = nodes_[node].edges;
  if (list == kNone && free_list_ != kNone) {
    list = free_list_;
    free_list_ = std::exchange(lists_[list].next_free, kNone);
  } else if (list == kNone) {
    lists_.push_back(Edges());
    list = static_cast<uint32_t>(lists_.size() - 1);
  }
  return lists_[list];
}

bool AcyclicGraph::has_edge(TagId parent, TagId child) const {
  const std::span<const TagId> below = children(parent);
  return std::binary_search(below.begin(), below.end(), child);
}

bool AcyclicGraph::remove_edge(TagId parent, TagId child) {
  if (!has_edge(parent, child)) return false;
  erase_sorted(edges_in(parent).children, child);
  erase_sorted(edges_in(child).parents, parent);
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
  std::vector<TagId> sorted(nodes_.size());  // their orders are the numbers below that
  for (TagId node = 0; node < nodes_.size(); ++node) sorted[nodes_[node].order] = node;
  for (TagId free = free_node_; free != kNone; free = nodes_[free].edges) sorted[nodes_[free].order] = kNone;
  std::vector<uint32_t> lengths(nodes_.size(), 0);
  for (TagId node : sorted) {
    if (node == kNone) continue;
    for (TagId child : children(node)) lengths[child] = std::max(lengths[child], lengths[node] + 1);
  }
  return lengths;
}

size_t AcyclicGraph::bytes() const {
  size_t total = nodes_.bytes() + lists_.bytes();
  for (size_t list = 0; list < lists_.size(); ++list) {
    total += (lists_[list].parents.capacity() + lists_[list].children.capacity()) * sizeof(TagId);
  }
  return total;
}

}  // namespace memspan
