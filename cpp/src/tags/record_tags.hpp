// The tags of each record: short lists by slot.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 4 bytes a record once one has tags, and
// for one with tags 2 more and 2 for each tag, rounded up to 8; twice as much for who has a tag whose number needs it. A
// list lies in the arena as u8 count, u8 capacity and whether it is wide, then the tags: u16, or in a wide one u32.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/small_arena.hpp"
#include "memspan/types.hpp"
#include "tags/acyclic_graph.hpp"

namespace memspan {

class RecordTags {
  static constexpr uint8_t kWide = 0x80;  // in the capacity
  static_assert(limits::kTagsPerRecord < kWide);
  static constexpr size_t bytes_of(size_t capacity, bool wide) {
    return wide ? sizeof(uint32_t) + capacity * sizeof(uint32_t) : 2 * sizeof(uint8_t) + capacity * sizeof(uint16_t);
  }
  static_assert((1 + limits::kTagsPerRecord) * sizeof(uint32_t) <= SmallArena::kMaxBytes);

 public:
  // One record's.
  class List {
   public:
    class Iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = TagId;
      using difference_type = std::ptrdiff_t;
      using pointer = const TagId*;
      using reference = TagId;

      Iterator() = default;
      Iterator(const List* list, size_t i) : list_(list), i_(i) {}
      TagId operator*() const { return (*list_)[i_]; }
      Iterator& operator++() {
        ++i_;
        return *this;
      }
      Iterator operator++(int) {
        const Iterator before = *this;
        ++*this;
        return before;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

     private:
      const List* list_ = nullptr;
      size_t i_ = 0;
    };

    List() = default;
    explicit List(const std::byte* list) : list_(list) {}

    size_t size() const { return list_ == nullptr ? 0 : static_cast<size_t>(list_[0]); }
    bool empty() const { return size() == 0; }
    TagId operator[](size_t i) const { return get(list_, i); }
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }
    bool contains(TagId tag) const { return std::find(begin(), end(), tag) != end(); }

   private:
    const std::byte* list_ = nullptr;  // null: no tags
  };

  // In the order in which they were given. Valid until the next change.
  List of(Slot slot) const { return has_list(slot) ? List(arena_.data(places_[slot])) : List(); }

  // Gives a slot that has none room for `capacity` tags, whose numbers are below `numbers`. If that throws, nothing has
  // changed.
  void start(Slot slot, size_t capacity, size_t numbers) {
    if (capacity == 0) return;
    places_.resize(std::max(places_.size(), size_t{slot} + 1), SmallArena::kNone);
    places_[slot] = make(capacity, numbers > kNarrowNumbers);
  }
  // There must be room.
  void append(Slot slot, TagId tag) {
    std::byte* const list = arena_.data(places_[slot]);
    const auto count = static_cast<uint8_t>(list[0]);
    set(list, count, tag);
    list[0] = static_cast<std::byte>(count + 1);
  }
  // Lets a list that was made for others hold the tag. If that throws, nothing has changed.
  void make_room_for(Slot slot, TagId tag) {
    const std::byte* const narrow = arena_.data(places_[slot]);
    if (tag < kNarrowNumbers || is_wide(narrow)) return;
    const SmallArena::Ref wider = make(capacity(narrow), true);
    std::byte* const list = arena_.data(wider);
    const List old = of(slot);
    for (size_t i = 0; i < old.size(); ++i) set(list, i, old[i]);
    list[0] = static_cast<std::byte>(old.size());
    clear(slot);
    places_[slot] = wider;
  }
  void clear(Slot slot) noexcept {
    if (!has_list(slot)) return;
    const std::byte* const list = arena_.data(places_[slot]);
    arena_.release(places_[slot], bytes_of(capacity(list), is_wide(list)));
    places_[slot] = SmallArena::kNone;
  }
  // The tag must be one of the record's.
  void erase(Slot slot, TagId tag) noexcept {
    std::byte* const list = arena_.data(places_[slot]);
    const size_t last = static_cast<size_t>(list[0]) - 1;
    size_t i = 0;
    while (get(list, i) != tag) ++i;
    for (; i < last; ++i) set(list, i, get(list, i + 1));
    list[0] = static_cast<std::byte>(last);
  }

  // Fills an empty object: slot i takes the next counts[i] of `tags`, which must be as many and below `numbers`.
  template <typename Number>
  void fill(const PackedValues<uint8_t>& counts, const PackedValues<Number>& tags, size_t numbers) {
    if (tags.size() == 0) return;
    const bool wide = numbers > kNarrowNumbers;
    size_t next = 0;
    places_.fill(counts.size(), [&](std::span<SmallArena::Ref> places) {
      size_t slot = places_.size();
      for (SmallArena::Ref& place : places) {
        const uint8_t size = counts[slot++];
        place = SmallArena::kNone;
        if (size == 0) continue;
        place = make(size, wide);
        std::byte* const list = arena_.data(place);
        list[0] = std::byte{size};
        if (wide) {
          auto* const to = reinterpret_cast<uint32_t*>(list) + 1;
          for (size_t t = 0; t < size; ++t) to[t] = tags[next++];
        } else {
          auto* const to = reinterpret_cast<uint16_t*>(list) + 1;
          for (size_t t = 0; t < size; ++t) to[t] = static_cast<uint16_t>(tags[next++]);
        }
      }
    });
  }

  size_t bytes() const { return places_.bytes() + arena_.bytes(); }

 private:
  static constexpr size_t kNarrowNumbers = size_t{std::numeric_limits<uint16_t>::max()} + 1;

  static bool is_wide(const std::byte* list) { return (list[1] & std::byte{kWide}) != std::byte{0}; }
  static size_t capacity(const std::byte* list) { return static_cast<size_t>(list[1] & ~std::byte{kWide}); }
  static TagId get(const std::byte* list, size_t i) {
    if (is_wide(list)) return reinterpret_cast<const uint32_t*>(list)[1 + i];
    return reinterpret_cast<const uint16_t*>(list)[1 + i];
  }
  static void set(std::byte* list, size_t i, TagId tag) {
    if (is_wide(list)) {
      reinterpret_cast<uint32_t*>(list)[1 + i] = tag;
    } else {
      reinterpret_cast<uint16_t*>(list)[1 + i] = static_cast<uint16_t>(tag);
    }
  }

  bool has_list(Slot slot) const { return slot < places_.size() && places_[slot] != SmallArena::kNone; }
  SmallArena::Ref make(size_t capacity, bool wide) {
    const SmallArena::Ref place = arena_.allocate(bytes_of(capacity, wide));
    std::byte* const list = arena_.data(place);
    list[0] = std::byte{0};
    list[1] = static_cast<std::byte>(capacity | (wide ? kWide : 0));
    return place;
  }

  ChunkedVector<SmallArena::Ref> places_;  // up to the last slot that had tags
  SmallArena arena_;
};

}  // namespace memspan
