#include "tags/tag_edges.hpp"

#include <algorithm>

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

}  // namespace

std::vector<uint32_t> count_records(const TaggedRecords& records) {
  size_t tags = 0;
  for (const TagId tag : records.tags) tags = std::max<size_t>(tags, tag + 1);
  std::vector<uint32_t> count(tags, 0);
  for (const TagId tag : records.tags) ++count[tag];
  return count;
}

PassingVector<TagEdge> find_edges(const TaggedRecords& records, std::span<const uint32_t> count) {
  PassingHashMap<uint64_t, uint32_t> together;
  std::vector<TagId> taken;
  for (size_t record = 0; record < records.size(); ++record) {
    const std::span<const TagId> tags = records.of(record);
    taken.assign(tags.begin(), tags.end());
    if (taken.size() > kTagsTaken) {
      std::nth_element(taken.begin(), taken.begin() + kTagsTaken, taken.end(),
                       [count](TagId a, TagId b) { return count[a] != count[b] ? count[a] < count[b] : a < b; });
      taken.resize(kTagsTaken);
    }
    for (size_t i = 0; i < taken.size(); ++i) {
      for (size_t j = i + 1; j < taken.size(); ++j) ++together[pair_key(taken[i], taken[j])];
    }
  }
  HashSet<uint64_t> related;
  for (const auto& [parent, child] : records.relations) related.insert(pair_key(parent, child));
  PassingVector<TagEdge> edges;
  for (const auto& [key, shared] : together) {
    const auto a = static_cast<TagId>(key >> 32);
    const auto b = static_cast<TagId>(key);
    const double alike = static_cast<double>(shared) / static_cast<double>(count[a] + count[b] - shared);
    if (alike >= (related.contains(key) ? kAlikeWhenRelated : kAlike)) edges.push_back({alike, a, b, shared});
  }
  std::sort(edges.begin(), edges.end(), [](const TagEdge& x, const TagEdge& y) {
    if (x.alike != y.alike) return x.alike > y.alike;
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  return edges;
}

}  // namespace memspan
