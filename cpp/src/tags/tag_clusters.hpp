// Clusters of tags that belong together (SwiftMem 3.4.1): from the hierarchy, from co-occurrence in records, and from
// the connected components of both.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "tags/acyclic_graph.hpp"

namespace memspan {

using huge_pages::PassingVector;

inline constexpr uint32_t kNoCluster = ~uint32_t{0};

// The tags of a user's records, as one list with offsets: record i carries tags[offsets[i]] to tags[offsets[i + 1] - 1].
struct TaggedRecords {
  PassingVector<uint32_t> offsets = {0};
  PassingVector<TagId> tags;
  std::vector<std::pair<TagId, TagId>> relations;  // parent, child

  size_t size() const { return offsets.size() - 1; }
  std::span<const TagId> of(size_t record) const {
    return std::span(tags).subspan(offsets[record], offsets[record + 1] - offsets[record]);
  }
};

struct TagClusters {
  uint32_t count = 0;
  std::vector<uint32_t> of_tag;     // by TagId; kNoCluster for a tag without records
  PassingVector<uint32_t> of_record;  // kNoCluster for a record without tags
  // Edges / possible edges, of each cluster (1 for a single tag) and their mean weighted by records; and the same of
  // all tags as if they were one cluster.
  double cohesion = 0.0;
  double cohesion_of_all = 0.0;
};

// Two tags are joined when they share enough of their records (Jaccard index), less of them when one is the parent of
// the other; the most alike first, and never into a cluster of more than `max_records`. A record goes where most of its
// tags are. O(records + pairs of tags that meet), with at most 16 tags of a record taken: the rarest.
TagClusters cluster_tags(const TaggedRecords& records, size_t max_records);

}  // namespace memspan
