// TagDag in a snapshot:
//   u64 tags; per tag, in topological order so that every edge can be added as it is read:
//     text name; f32[] embedding; u64 parents, then u32 position (in this list) of each parent
//   the tags of each live slot, by their positions (tag_records.hpp)
#include <algorithm>
#include <functional>
#include <memory>

#include "memspan/types.hpp"
#include "tags/tag_dag.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {

void TagDag::save(ByteWriter& out, BodyWriter& body, std::span<const Slot> live) const {
  const std::vector<uint32_t> specificities = graph_.specificities();
  std::vector<TagId> sorted;
  for (TagId tag = 0; tag < tags_.size(); ++tag) {
    if (exists(tag)) sorted.push_back(tag);
  }
  // Parents have a smaller specificity than their children; the number makes the order total.
  std::sort(sorted.begin(), sorted.end(), [&](TagId a, TagId b) {
    return std::pair(specificities[a], a) < std::pair(specificities[b], b);
  });
  std::vector<uint32_t> position(tags_.size());
  for (uint32_t i = 0; i < sorted.size(); ++i) position[sorted[i]] = i;

  out.put<uint64_t>(sorted.size());
  for (TagId tag : sorted) {
    out.put_text(name(tag));
    out.put_array<float>(embedding(tag));
    out.put<uint64_t>(graph_.parents(tag).size());
    for (TagId parent : graph_.parents(tag)) out.put<uint32_t>(position[parent]);
  }
  records_.save(out, body, live, position, sorted.size());
}

void TagDag::load(ByteReader& in, const Body& body, size_t slots, size_t dim) {
  const uint64_t count = in.get_count(sizeof(uint32_t));
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view name = in.get_text(limits::kTagBytes);
    in.check(!name.empty() && !find(name), "a tag is empty or comes twice");
    const TagId tag = find_or_create(name);
    std::vector<float> own = in.get_array<float>();
    in.check(own.empty() || (own.size() == dim && is_unit(own)),
             "a tag's embedding has a wrong size or does not have length 1");
    if (!own.empty()) embedding_place(tag) = std::make_unique<std::vector<float>>(std::move(own));
    const uint64_t parents = in.get_count(sizeof(uint32_t));
    for (uint64_t p = 0; p < parents; ++p) {
      const auto parent = in.get<uint32_t>();
      in.check(parent < tag, "a tag comes before its parent");
      graph_.add_edge(parent, tag);
    }
  }
  records_.load(in, body, slots, count);
}

}  // namespace memspan
