#include "tags/tag_clusters.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace memspan {
namespace {

class Components {
 public:
  explicit Components(std::span<const uint32_t> records) : parent_(records.size()), records_(records.begin(), records.end()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  uint32_t find(uint32_t tag) {
    while (parent_[tag] != tag) tag = parent_[tag] = parent_[parent_[tag]];
    return tag;
  }
  void join(const TagEdge& edge, size_t max_records) {
    const uint32_t a = find(edge.a);
    const uint32_t b = find(edge.b);
    if (a == b) return;
    // At most so many: records that both have through other tags are counted twice.
    const size_t together = size_t{records_[a]} + records_[b] - edge.shared;
    if (together > max_records) return;
    parent_[b] = a;
    records_[a] = static_cast<uint32_t>(together);
  }

 private:
  std::vector<uint32_t> parent_;
  std::vector<uint32_t> records_;
};

class TagClusterer {
 public:
  TagClusterer(const TaggedRecords& records, size_t max_records) : records_(records), max_records_(max_records) {}

  TagClusters run() {
    join();
    assign_records();
    return std::move(clusters_);
  }

 private:
  void join() {
    const std::vector<uint32_t> count = count_records(records_);
    Components components(count);
    for (const TagEdge& edge : find_edges(records_, count)) components.join(edge, max_records_);
    clusters_.of_tag.assign(count.size(), kNoCluster);
    std::vector<uint32_t> number(count.size(), kNoCluster);
    for (TagId tag = 0; tag < count.size(); ++tag) {
      if (count[tag] == 0) continue;
      uint32_t& cluster = number[components.find(tag)];
      if (cluster == kNoCluster) cluster = clusters_.count++;
      clusters_.of_tag[tag] = cluster;
    }
  }

  // One tag, one vote: a rare tag that a record shares with a foreign cluster must not outweigh its own. Where votes are
  // equal, a cluster of more tags says more than a tag that found no company.
  void assign_records() {
    clusters_.of_record.assign(records_.size(), kNoCluster);
    std::vector<uint32_t> tags_in(clusters_.count, 0);
    for (const uint32_t cluster : clusters_.of_tag) {
      if (cluster != kNoCluster) ++tags_in[cluster];
    }
    std::vector<uint32_t> votes(clusters_.count, 0);
    for (size_t record = 0; record < records_.size(); ++record) {
      uint32_t& best = clusters_.of_record[record];
      for (const TagId tag : records_.of(record)) ++votes[clusters_.of_tag[tag]];
      for (const TagId tag : records_.of(record)) {
        const uint32_t cluster = clusters_.of_tag[tag];
        const auto rank = [&](uint32_t c) { return std::tuple(votes[c], tags_in[c], ~c); };
        if (best == kNoCluster || rank(cluster) > rank(best)) best = cluster;
      }
      for (const TagId tag : records_.of(record)) votes[clusters_.of_tag[tag]] = 0;
    }
  }

  const TaggedRecords& records_;
  size_t max_records_;
  TagClusters clusters_;
};

}  // namespace

TagClusters cluster_tags(const TaggedRecords& records, size_t max_records) {
  return TagClusterer(records, max_records).run();
}

}  // namespace memspan
