// Which tags belong together (SwiftMem 3.4.1): those that meet in records, less often when one is the parent of the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "tags/acyclic_graph.hpp"

namespace memspan {

using huge_pages::PassingVector;

// The tags of a user's records, as one list with offsets: record i carries tags[offsets[i]] to tags[offsets[i + 1] - 1].
struct TaggedRecords {
  PassingVector<uint32_t> offsets = {0};
  PassingVector<TagId> tags;
  std::vector<std::pair<TagId, TagId>> relations;  // parent, child

  size_t size() const { return offsets.size() - 1; }
  std::span<const TagId> of(size_t record) const {
    return std::span(tags).subspan(offsets[record], offsets[record + 1] - offsets[record]);
  }
  void add(std::span<const TagId> of_record) {
    tags.insert(tags.end(), of_record.begin(), of_record.end());
    offsets.push_back(static_cast<uint32_t>(tags.size()));
  }
};

struct TagEdge {
  double alike;  // Jaccard index of their records
  TagId a, b;    // a < b
  uint32_t shared;
};

// By tag, up to the largest that occurs.
std::vector<uint32_t> count_records(const TaggedRecords& records);

// The most alike first. There is an edge between two tags that share enough of their records. O(records + pairs of tags
// that meet), with at most 16 tags of a record taken: the rarest. `count` is count_records(records).
PassingVector<TagEdge> find_edges(const TaggedRecords& records, std::span<const uint32_t> count);

}  // namespace memspan
