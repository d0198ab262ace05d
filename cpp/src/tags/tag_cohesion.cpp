#include "tags/tag_cohesion.hpp"

#include <algorithm>
#include <vector>

namespace memspan {
namespace {

// Counts the pairs of tags that belong together without looking at each pair: by tag, how often it was put, and its edges.
// Memory O(tags + edges).
class PairCounter {
 public:
  PairCounter(size_t tags, std::span<const TagEdge> edges) : first_(tags + 1, 0), times_(tags, 0.0) {
    for (const TagEdge& edge : edges) ++first_[edge.a + 1], ++first_[edge.b + 1];
    for (size_t tag = 0; tag < tags; ++tag) first_[tag + 1] += first_[tag];
    others_.resize(first_[tags]);
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const TagEdge& edge : edges) {
      others_[next[edge.a]++] = edge.b;
      others_[next[edge.b]++] = edge.a;
    }
  }

  // Of all ordered pairs of these, each with itself too, how many are the same or joined by an edge.
  double joined(std::span<const TagId> tags) {
    put(tags);
    const double pairs = joined_with_put(tags);
    take_back(tags);
    return pairs;
  }
  // The same of pairs of one of these and one of those that were put.
  double joined_with_put(std::span<const TagId> tags) const {
    double pairs = 0.0;
    for (const TagId tag : tags) {
      pairs += times_[tag];
      for (uint32_t i = first_[tag]; i < first_[tag + 1]; ++i) pairs += times_[others_[i]];
    }
    return pairs;
  }
  void put(std::span<const TagId> tags) {
    for (const TagId tag : tags) times_[tag] += 1.0;
  }
  void take_back(std::span<const TagId> tags) {
    for (const TagId tag : tags) times_[tag] = 0.0;
  }

 private:
  std::vector<uint32_t> first_;   // by tag: where its neighbours begin
  std::vector<TagId> others_;
  std::vector<double> times_;     // by tag
};

size_t tag_capacity(const TaggedRecords& records) {
  size_t capacity = 0;
  for (const TagId tag : records.tags) capacity = std::max<size_t>(capacity, tag + 1);
  return capacity;
}

std::span<const TagId> tags_of_group(const TaggedRecords& records, const TagGroup& group) {
  const uint32_t first = records.offsets[group.first];
  return std::span(records.tags).subspan(first, records.offsets[group.last] - first);
}

double squared(size_t count) { return static_cast<double>(count) * static_cast<double>(count); }

}  // namespace

double tag_cohesion(const TaggedRecords& records, std::span<const TagEdge> edges, std::span<const TagGroup> groups) {
  PairCounter counter(tag_capacity(records), edges);
  double sum = 0.0, rows = 0.0;
  for (const TagGroup& group : groups) {
    const std::span<const TagId> all = tags_of_group(records, group);
    double joined = counter.joined(all);
    double possible = squared(all.size());
    for (uint32_t record = group.first; record < group.last; ++record) {
      joined -= counter.joined(records.of(record));
      possible -= squared(records.of(record).size());
    }
    if (possible <= 0.0) continue;
    sum += group.rows * joined / possible;
    rows += group.rows;
  }
  return rows > 0.0 ? std::min(1.0, sum / rows) : 0.0;
}

double strangers(const TaggedRecords& records, std::span<const TagEdge> edges, std::span<const TagGroup> groups,
                 double cohesion, uint32_t first, uint32_t last) {
  const size_t count = std::min<size_t>(last - first, kMostJudged);
  if (count == 0 || cohesion <= 0.0) return 0.0;
  PairCounter counter(tag_capacity(records), edges);
  std::vector<double> best(count, 0.0);  // share of the pairs with the tags of a group
  for (const TagGroup& group : groups) {
    const std::span<const TagId> theirs = tags_of_group(records, group);
    if (theirs.empty()) continue;
    counter.put(theirs);
    for (size_t i = 0; i < count; ++i) {
      const std::span<const TagId> own = records.of(first + i * (last - first) / count);
      if (own.empty()) continue;
      best[i] = std::max(best[i], counter.joined_with_put(own) / static_cast<double>(own.size() * theirs.size()));
    }
    counter.take_back(theirs);
  }
  double lost = 0.0;
  for (const double found : best) lost += 1.0 - std::min(1.0, found / cohesion);
  return lost / static_cast<double>(count);
}

}  // namespace memspan
