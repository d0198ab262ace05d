// TagDag in a snapshot:
//   u64 tags; per tag, in topological order so that every edge can be added as it is read:
//     text name; f32[] embedding; u64 parents, then u32 position (in this list) of each parent
//   per live slot: u64 tags, then u32 position of each tag
#include <algorithm>
#include <functional>

#include "memspan/types.hpp"
#include "tags/tag_dag.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {

void TagDag::save(ByteWriter& out, std::span<const Slot> live) const {
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
  for (Slot slot : live) {
    out.put<uint64_t>(tags_of(slot).size());
    for (TagId tag : tags_of(slot)) out.put<uint32_t>(position[tag]);
  }
}

void TagDag::load(ByteReader& in, size_t slots, size_t dim) {
  const uint64_t count = in.get_count(sizeof(uint32_t));
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view name = in.get_text(limits::kTagBytes);
    in.check(!name.empty() && !find(name), "a tag is empty or comes twice");
    const TagId tag = find_or_create(name);
    std::vector<float> own = in.get_array<float>();
    in.check(own.empty() || (own.size() == dim && is_unit(own)),
             "a tag's embedding has a wrong size or does not have length 1");
    if (!own.empty()) tags_[tag].embedding = std::make_unique<std::vector<float>>(std::move(own));
    const uint64_t parents = in.get_count(sizeof(uint32_t));
    for (uint64_t p = 0; p < parents; ++p) {
      const auto parent = in.get<uint32_t>();
      in.check(parent < tag, "a tag comes before its parent");
      graph_.add_edge(parent, tag);
    }
  }
  for (Slot slot = 0; slot < slots; ++slot) {
    const uint64_t tags = in.get_count(sizeof(uint32_t));
    in.check(tags <= limits::kTagsPerRecord, "a record has too many tags");
    of_record_.start(slot, tags);
    for (uint64_t t = 0; t < tags; ++t) {
      const auto tag = in.get<uint32_t>();
      in.check(tag < count, "a record has an unknown tag");
      Slots& records = tags_[tag].records;
      in.check(records.empty() || records.back() != slot, "a record has a tag twice");
      of_record_.append(slot, tag);
      records.insert(slot, std::less<>());
    }
  }
}

}  // namespace memspan
