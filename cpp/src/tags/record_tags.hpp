// The tags of each record: short lists by slot.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 4 bytes a record, and for one with
// tags 4 more and 4 for each tag, rounded up to 8. A list lies in the arena as u16 count, u16 capacity, then the tags.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/small_arena.hpp"
#include "memspan/types.hpp"
#include "tags/acyclic_graph.hpp"

namespace memspan {

class RecordTags {
 public:
  static constexpr size_t kHeader = 2 * sizeof(uint16_t);
  static_assert(kHeader + limits::kTagsPerRecord * sizeof(TagId) <= SmallArena::kMaxBytes);

  // In the order in which they were given. Valid until the next change.
  std::span<const TagId> of(Slot slot) const {
    if (slot >= places_.size() || places_[slot] == SmallArena::kNone) return {};
    const std::byte* list = arena_.data(places_[slot]);
    return {reinterpret_cast<const TagId*>(list + kHeader), sizes(list)[0]};
  }

  // Gives a slot that has none room for `capacity` tags. If that throws, nothing has changed.
  void start(Slot slot, size_t capacity) {
    if (slot >= places_.size()) {
      const size_t old_size = places_.size();
      places_.resize(size_t{slot} + 1);
      for (size_t i = old_size; i < places_.size(); ++i) places_[i] = SmallArena::kNone;
    }
    if (capacity == 0) return;
    places_[slot] = arena_.allocate(kHeader + capacity * sizeof(TagId));
    uint16_t* header = sizes(arena_.data(places_[slot]));
    header[0] = 0;
    header[1] = static_cast<uint16_t>(capacity);
  }
  // There must be room.
  void append(Slot slot, TagId tag) {
    std::byte* list = arena_.data(places_[slot]);
    reinterpret_cast<TagId*>(list + kHeader)[sizes(list)[0]++] = tag;
  }
  void clear(Slot slot) noexcept {
    if (places_[slot] == SmallArena::kNone) return;
    arena_.release(places_[slot], kHeader + sizes(arena_.data(places_[slot]))[1] * sizeof(TagId));
    places_[slot] = SmallArena::kNone;
  }
  // The tag must be one of the record's.
  void erase(Slot slot, TagId tag) noexcept {
    std::byte* list = arena_.data(places_[slot]);
    auto* tags = reinterpret_cast<TagId*>(list + kHeader);
    uint16_t& count = sizes(list)[0];
    TagId* end = tags + count;
    std::copy(std::find(tags, end, tag) + 1, end, std::find(tags, end, tag));
    --count;
  }

  // Fills an empty object: slot i takes the next counts[i] of `tags`, which must be as many.
  void fill(const PackedValues<uint8_t>& counts, const PackedValues<TagId>& tags) {
    size_t next = 0;
    places_.fill(counts.size(), [&](std::span<SmallArena::Ref> places) {
      size_t slot = places_.size();
      for (SmallArena::Ref& place : places) {
        const uint16_t size = counts[slot++];
        place = SmallArena::kNone;
        if (size == 0) continue;
        place = arena_.allocate(kHeader + size * sizeof(TagId));
        std::byte* const list = arena_.data(place);
        sizes(list)[0] = sizes(list)[1] = size;
        auto* const own = reinterpret_cast<TagId*>(list + kHeader);
        for (size_t t = 0; t < size; ++t) own[t] = tags[next++];
      }
    });
  }

  size_t bytes() const { return places_.bytes() + arena_.bytes(); }

 private:
  static uint16_t* sizes(std::byte* list) { return reinterpret_cast<uint16_t*>(list); }
  static const uint16_t* sizes(const std::byte* list) { return reinterpret_cast<const uint16_t*>(list); }

  ChunkedVector<SmallArena::Ref> places_;
  SmallArena arena_;
};

}  // namespace memspan
