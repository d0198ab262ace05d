// A small map from slots to positions that keeps its memory between uses: an array where the slots are not many more than
// the positions, and otherwise by open addressing with linear probing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

class SlotTable {
 public:
  static constexpr uint32_t kAbsent = ~uint32_t{0};

  // Forgets everything and makes room for `count` slots, all of them less than `slots`. O(count).
  void start(size_t count, size_t slots = ~size_t{0}) {
    in_array_ = slots <= kSpareInArray * count;
    if (in_array_) {
      array_.assign(slots, kAbsent);
    } else {
      start_places(count);
    }
  }

  // The slot's position; `position` becomes it if the slot was absent. Expected O(1).
  uint32_t find_or_add(Slot slot, uint32_t position) {
    if (in_array_) {
      uint32_t& known = array_[slot];
      if (known == kAbsent) known = position;
      return known;
    }
    Place& place = places_[find_place(slot)];
    if (place.slot == slot) return place.position;
    place = {slot, position};
    if (++size_ * 4 > places_.size() * 3) grow();
    return position;
  }
  // The slot's position, or kAbsent. Expected O(1).
  uint32_t find(Slot slot) const { return in_array_ ? array_[slot] : places_[find_place(slot)].position; }

  size_t bytes() const {
    return (places_.capacity() + moved_.capacity()) * sizeof(Place) + array_.capacity() * sizeof(uint32_t);
  }

 private:
  // An array of so many times the positions takes at most twice the memory of the places of as many.
  static constexpr size_t kSpareInArray = 8;

  struct Place {
    Slot slot;
    uint32_t position;
  };

  void start_places(size_t count) {
    const size_t places = std::bit_ceil(std::max<size_t>(2 * count, 16));
    places_.assign(places, Place{kNoSlot, kAbsent});
    shift_ = static_cast<unsigned>(32 - std::countr_zero(places));
    size_ = 0;
  }

  // The slot's place, or the empty one where it belongs.
  size_t find_place(Slot slot) const {
    const size_t mask = places_.size() - 1;
    // Fibonacci hashing: neighbouring slots, which are common, spread evenly.
    size_t i = (slot * uint32_t{0x9E3779B1}) >> shift_;
    while (places_[i].slot != slot && places_[i].slot != kNoSlot) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    moved_.clear();
    for (const Place& place : places_) {
      if (place.slot != kNoSlot) moved_.push_back(place);
    }
    start_places(places_.size());
    for (const Place& place : moved_) {
      places_[find_place(place.slot)] = place;
      ++size_;
    }
  }

  bool in_array_ = false;
  std::vector<uint32_t> array_;  // by slot
  std::vector<Place> places_;
  std::vector<Place> moved_;  // by the last growth; its memory serves the next one
  unsigned shift_ = 0;
  size_t size_ = 0;
};

}  // namespace memspan
