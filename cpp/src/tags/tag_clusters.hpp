// Clusters of tags that belong together (SwiftMem 3.4.1): from the hierarchy, from co-occurrence in records, and from
// the connected components of both.
#pragma once

#include <cstdint>
#include <vector>

#include "tags/tag_edges.hpp"

namespace memspan {

inline constexpr uint32_t kNoCluster = ~uint32_t{0};

struct TagClusters {
  uint32_t count = 0;
  std::vector<uint32_t> of_tag;     // by TagId; kNoCluster for a tag without records
  PassingVector<uint32_t> of_record;  // kNoCluster for a record without tags
};

// Two tags between which there is an edge are joined; the most alike first, and never into a cluster of more than `max_records`. A record goes where most of its
// tags are. O(records + pairs of tags that meet), with at most 16 tags of a record taken: the rarest.
TagClusters cluster_tags(const TaggedRecords& records, size_t max_records);

}  // namespace memspan
