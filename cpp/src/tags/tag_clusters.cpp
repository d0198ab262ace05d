#include "tags/tag_clusters.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

constexpr size_t kTagsTaken = 16;
// A topic shares about a third of its records with each of its commonest subtopics, two unrelated tags next to none.
constexpr double kAlike = 0.2;
constexpr double kAlikeWhenRelated = 0.1;

uint64_t pair_key(TagId a, TagId b) {
  return a < b ? uint64_t{a} << 32 | b : uint64_t{b} << 32 | a;
}

struct Edge {
  double alike;
  TagId a, b;
  uint32_t shared;
};

class Components {
 public:
  explicit Components(std::span<const uint32_t> records) : parent_(records.size()), records_(records.begin(), records.end()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  uint32_t find(uint32_t tag) {
    while (parent_[tag] != tag) tag = parent_[tag] = parent_[parent_[tag]];
    return tag;
  }
  void join(const Edge& edge, size_t max_records) {
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

double possible_edges(double tags) { return tags * (tags - 1.0) / 2.0; }

class TagClusterer {
 public:
  TagClusterer(const TaggedRecords& records, size_t max_records) : records_(records), max_records_(max_records) {}

  TagClusters run() {
    count_records();
    find_edges();
    join();
    assign_records();
    measure_cohesion();
    return std::move(clusters_);
  }

 private:
  void count_records() {
    size_t tags = 0;
    for (TagId tag : records_.tags) tags = std::max<size_t>(tags, tag + 1);
    count_.assign(tags, 0);
    for (TagId tag : records_.tags) ++count_[tag];
  }

  void find_edges() {
    PassingHashMap<uint64_t, uint32_t> together;
    std::vector<TagId> taken;
    for (size_t record = 0; record < records_.size(); ++record) {
      const std::span<const TagId> tags = records_.of(record);
      taken.assign(tags.begin(), tags.end());
      if (taken.size() > kTagsTaken) {
        std::nth_element(taken.begin(), taken.begin() + kTagsTaken, taken.end(),
                         [this](TagId a, TagId b) { return count_[a] != count_[b] ? count_[a] < count_[b] : a < b; });
        taken.resize(kTagsTaken);
      }
      for (size_t i = 0; i < taken.size(); ++i) {
        for (size_t j = i + 1; j < taken.size(); ++j) ++together[pair_key(taken[i], taken[j])];
      }
    }
    HashSet<uint64_t> related;
    for (const auto& [parent, child] : records_.relations) related.insert(pair_key(parent, child));
    for (const auto& [key, shared] : together) {
      const auto a = static_cast<TagId>(key >> 32);
      const auto b = static_cast<TagId>(key);
      const double alike = static_cast<double>(shared) / static_cast<double>(count_[a] + count_[b] - shared);
      if (alike >= (related.contains(key) ? kAlikeWhenRelated : kAlike)) edges_.push_back({alike, a, b, shared});
    }
    std::sort(edges_.begin(), edges_.end(), [](const Edge& x, const Edge& y) {
      if (x.alike != y.alike) return x.alike > y.alike;
      return std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
  }

  void join() {
    Components components(count_);
    for (const Edge& edge : edges_) components.join(edge, max_records_);
    clusters_.of_tag.assign(count_.size(), kNoCluster);
    std::vector<uint32_t> number(count_.size(), kNoCluster);
    for (TagId tag = 0; tag < count_.size(); ++tag) {
      if (count_[tag] == 0) continue;
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

  void measure_cohesion() {
    std::vector<double> tags(clusters_.count, 0.0), edges(clusters_.count, 0.0), records(clusters_.count, 0.0);
    double all_tags = 0.0, all_records = 0.0;
    for (const uint32_t cluster : clusters_.of_tag) {
      if (cluster == kNoCluster) continue;
      ++tags[cluster];
      ++all_tags;
    }
    for (const Edge& edge : edges_) {
      if (clusters_.of_tag[edge.a] == clusters_.of_tag[edge.b]) ++edges[clusters_.of_tag[edge.a]];
    }
    for (const uint32_t cluster : clusters_.of_record) {
      if (cluster == kNoCluster) continue;
      ++records[cluster];
      ++all_records;
    }
    if (all_records == 0.0) return;
    for (uint32_t c = 0; c < clusters_.count; ++c) {
      const double cohesion = tags[c] > 1.0 ? edges[c] / possible_edges(tags[c]) : 1.0;
      clusters_.cohesion += cohesion * records[c] / all_records;
    }
    clusters_.cohesion_of_all = all_tags > 1.0 ? static_cast<double>(edges_.size()) / possible_edges(all_tags) : 1.0;
  }

  const TaggedRecords& records_;
  size_t max_records_;
  std::vector<uint32_t> count_;  // of records, by tag
  PassingVector<Edge> edges_;
  TagClusters clusters_;
};

}  // namespace

TagClusters cluster_tags(const TaggedRecords& records, size_t max_records) {
  return TagClusterer(records, max_records).run();
}

}  // namespace memspan
