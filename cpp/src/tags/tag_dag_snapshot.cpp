// TagDag in a snapshot:
//   u64 tags; per tag, in topological order so that every edge can be added as it is read:
//     text name; f32[] embedding; u64 parents, then u32 position (in this list) of each parent
//   u8 tags of each live slot, then u32 position of each of these tags
#include <algorithm>
#include <functional>
#include <memory>

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
  size_t total = 0;
  out.put_each<uint8_t>(live.size(), [&](size_t i) {
    total += tags_of(live[i]).size();
    return static_cast<uint8_t>(tags_of(live[i]).size());
  });
  out.put<uint64_t>(total);
  for (Slot slot : live) {
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
    if (!own.empty()) embedding_place(tag) = std::make_unique<std::vector<float>>(std::move(own));
    const uint64_t parents = in.get_count(sizeof(uint32_t));
    for (uint64_t p = 0; p < parents; ++p) {
      const auto parent = in.get<uint32_t>();
      in.check(parent < tag, "a tag comes before its parent");
      graph_.add_edge(parent, tag);
    }
  }
  load_records(in, slots, count);
}

// The records of the tags follow from the tags of the records.
void TagDag::load_records(ByteReader& in, size_t slots, size_t tags) {
  const auto counts = in.view_each<uint8_t>(slots);
  const auto of_records = in.view_array<TagId>();
  size_t total = 0;
  for (size_t slot = 0; slot < slots; ++slot) {
    in.check(counts[slot] <= limits::kTagsPerRecord, "a record has too many tags");
    total += counts[slot];
  }
  in.check(total == of_records.size(), "there are tags of no record");
  // Of each tag: where its records begin, once they are counted, and where they end, once they are there.
  std::vector<uint32_t> starts(tags + 1, 0);
  for (size_t i = 0; i < total; ++i) {
    in.check(of_records[i] < tags, "a record has an unknown tag");
    ++starts[of_records[i] + 1];
  }
  of_record_.fill(counts, of_records, tags);
  for (size_t tag = 1; tag <= tags; ++tag) starts[tag] += starts[tag - 1];
  const auto sorted = std::make_unique_for_overwrite<Slot[]>(total);  // by tag
  size_t next = 0;
  for (Slot slot = 0; slot < slots; ++slot) {
    for (const size_t end = next + counts[slot]; next < end; ++next) sorted[starts[of_records[next]]++] = slot;
  }
  const Slot* from = sorted.get();
  for (size_t tag = 0; tag < tags; ++tag) {
    const size_t count = starts[tag] - (tag == 0 ? 0 : starts[tag - 1]);
    in.check(std::adjacent_find(from, from + count) == from + count, "a record has a tag twice");
    tags_[static_cast<TagId>(tag)].records.fill(count, [&](std::span<Slot> records) {
      std::copy_n(from, records.size(), records.begin());
      from += records.size();
    });
  }
}

}  // namespace memspan
