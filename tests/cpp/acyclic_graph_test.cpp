#include "tags/acyclic_graph.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(acyclic_graph)

// Adjacency sets and nothing else: reachability by depth-first search.
class PlainGraph {
 public:
  void add(TagId node) { children_[node]; }
  void remove(TagId node) {
    children_.erase(node);
    for (auto& [parent, children] : children_) children.erase(node);
  }
  bool has(TagId node) const { return children_.contains(node); }
  bool has_edge(TagId parent, TagId child) const { return children_.at(parent).contains(child); }
  void connect(TagId parent, TagId child) { children_[parent].insert(child); }
  void disconnect(TagId parent, TagId child) { children_[parent].erase(child); }
  bool reaches(TagId from, TagId to) const {
    std::set<TagId> seen;
    std::vector<TagId> stack{from};
    while (!stack.empty()) {
      const TagId node = stack.back();
      stack.pop_back();
      if (node == to) return true;
      if (!seen.insert(node).second) continue;
      const std::set<TagId>& children = children_.at(node);
      stack.insert(stack.end(), children.begin(), children.end());
    }
    return false;
  }
  const std::map<TagId, std::set<TagId>>& children() const { return children_; }
  size_t edges() const {
    size_t total = 0;
    for (const auto& [parent, children] : children_) total += children.size();
    return total;
  }

 private:
  std::map<TagId, std::set<TagId>> children_;
};

void check_equal(const AcyclicGraph& graph, const PlainGraph& plain) {
  BOOST_REQUIRE(graph.edges() == plain.edges());
  const std::vector<uint32_t> specificities = graph.specificities();
  for (const auto& [node, children] : plain.children()) {
    const std::span<const TagId> found = graph.children(node);
    BOOST_REQUIRE(std::equal(found.begin(), found.end(), children.begin(), children.end()));
    uint32_t from_parents = 0;
    for (TagId parent : graph.parents(node)) {
      BOOST_REQUIRE(plain.has_edge(parent, node));
      from_parents = std::max(from_parents, specificities[parent] + 1);
    }
    // Exactly the longest path; so it grows along every edge.
    BOOST_REQUIRE(specificities[node] == from_parents);
  }
}

BOOST_AUTO_TEST_CASE(random_changes_agree_with_depth_first_search) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    AcyclicGraph graph;
    PlainGraph plain;
    const TagId size = 5 + static_cast<TagId>(random() % 40);
    for (TagId node = 0; node < size; ++node) plain.add(graph.add_node());
    size_t refused = 0;
    for (int step = 0; step < 600; ++step) {
      const auto a = static_cast<TagId>(random() % size);
      const auto b = static_cast<TagId>(random() % size);
      const auto choice = random() % 20;
      if (choice == 0) {
        graph.remove_node(a);
        plain.remove(a);
        BOOST_REQUIRE(graph.add_node() == a);
        plain.add(a);
      } else if (choice < 5) {
        BOOST_REQUIRE(graph.remove_edge(a, b) == plain.has_edge(a, b));
        plain.disconnect(a, b);
      } else {
        const bool closes_cycle = plain.reaches(b, a);
        const auto path = graph.add_edge(a, b);
        BOOST_REQUIRE(path.has_value() == closes_cycle);
        if (!path) {
          plain.connect(a, b);
        } else {
          ++refused;
          BOOST_REQUIRE(path->front() == b);
          BOOST_REQUIRE(path->back() == a);
          for (size_t i = 1; i < path->size(); ++i) BOOST_REQUIRE(plain.has_edge((*path)[i - 1], (*path)[i]));
        }
      }
      BOOST_REQUIRE(graph.has_edge(a, b) == plain.has_edge(a, b));
      if (step % 20 == 0) check_equal(graph, plain);
    }
    check_equal(graph, plain);
    BOOST_TEST(refused > 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_node_is_not_its_own_parent) {
  AcyclicGraph graph;
  const TagId node = graph.add_node();
  const auto path = graph.add_edge(node, node);
  BOOST_REQUIRE(path.has_value());
  BOOST_TEST(*path == std::vector<TagId>{node}, boost::test_tools::per_element());
  BOOST_TEST(graph.edges() == 0u);
}

BOOST_AUTO_TEST_CASE(an_edge_that_is_there_stays_as_it_is) {
  AcyclicGraph graph;
  const TagId a = graph.add_node();
  const TagId b = graph.add_node();
  BOOST_TEST(!graph.add_edge(a, b).has_value());
  BOOST_TEST(!graph.add_edge(a, b).has_value());
  BOOST_TEST(graph.edges() == 1u);
  BOOST_TEST(graph.remove_edge(a, b));
  BOOST_TEST(!graph.remove_edge(a, b));
  BOOST_TEST(graph.edges() == 0u);
}

// Every edge of the chain contradicts the order in which the nodes were made.
BOOST_AUTO_TEST_CASE(a_long_chain_against_the_order) {
  constexpr TagId kNodes = 500;
  AcyclicGraph graph;
  for (TagId node = 0; node < kNodes; ++node) graph.add_node();
  for (TagId node = 0; node + 1 < kNodes; ++node) BOOST_REQUIRE(!graph.add_edge(node + 1, node));
  const std::vector<uint32_t> specificities = graph.specificities();
  for (TagId node = 0; node < kNodes; ++node) BOOST_REQUIRE(specificities[node] == kNodes - 1 - node);
  const auto path = graph.add_edge(0, kNodes - 1);
  BOOST_REQUIRE(path.has_value());
  BOOST_TEST(path->size() == kNodes);
}

BOOST_AUTO_TEST_CASE(descend_is_breadth_first_and_bounded) {
  AcyclicGraph graph;
  for (int i = 0; i < 6; ++i) graph.add_node();
  // 0 -> 1 -> 2 -> 3, 0 -> 3, 4 -> 2; 5 alone
  for (const auto& [parent, child] : std::vector<std::pair<TagId, TagId>>{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 2}}) {
    graph.add_edge(parent, child);
  }
  using Reached = std::vector<std::pair<TagId, uint32_t>>;
  BOOST_TEST((graph.descend(std::vector<TagId>{0}, 0) == Reached{{0, 0}}));
  BOOST_TEST((graph.descend(std::vector<TagId>{0}, 1) == Reached{{0, 0}, {1, 1}, {3, 1}}));
  BOOST_TEST((graph.descend(std::vector<TagId>{0}, 99) == Reached{{0, 0}, {1, 1}, {3, 1}, {2, 2}}));
  BOOST_TEST((graph.descend(std::vector<TagId>{5, 4, 5}, 1) == Reached{{5, 0}, {4, 0}, {2, 1}}));
  BOOST_TEST(graph.descend({}, 3).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
