// From the hash of a key to a 32-bit number; the keys themselves are kept by the owner, once.
//
// Extendible hashing (Fagin, Nievergelt, Pippenger, Strong, TODS 1979): the upper bits of a hash choose one of many
// segments of at most 1024 places with linear probing. A full segment is split in two; nothing else moves. So no insert
// ever costs more than the split of a segment and, rarely, the doubling of the directory (8 bytes for about 600 keys),
// where one table of a million keys would stall every reader for tens of milliseconds while it is rehashed.
// Keys whose hashes agree in the upper bits, which only happens on purpose, make their segment grow instead.
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 11-21 bytes a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash_map.hpp"

namespace memspan {

class HashIndex {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  HashIndex() = default;
  ~HashIndex() { clear(); }
  HashIndex(HashIndex&& other) noexcept { *this = std::move(other); }
  HashIndex& operator=(HashIndex&& other) noexcept;

  static uint32_t hash(std::string_view key) {
    const uint64_t wide = StringHash()(key);
    return static_cast<uint32_t>(wide ^ (wide >> 32));
  }

  // The number of the key, or kNone; matches(number) tells whether a number with this hash is the key's.
  template <typename Matches>
  uint32_t find(uint32_t hash, Matches matches) const {
    if (size_ == 0) return kNone;
    const Place* places = segment(hash);
    for (uint32_t i = hash & mask(places);; i = (i + 1) & mask(places)) {
      const Place& place = places[1 + i];
      if (place.number == kNone || (place.hash == hash && matches(place.number))) return place.number;
    }
  }

  // Fills an empty index: number i gets the i-th hash. O(n), several times faster than one insert after the other.
  void build(std::span<const uint32_t> hashes);
  // Is same(a, b) false for all numbers with equal hashes? O(n) while few hashes are equal.
  template <typename Same>
  bool distinct(Same same) const;

  // The key must be absent; its number must not be kNone. If that throws, nothing has changed.
  void insert(uint32_t hash, uint32_t number);
  // The pair must be there.
  void erase(uint32_t hash, uint32_t number) noexcept;
  void clear();

  size_t size() const { return size_; }
  size_t bytes() const;

  template <typename F>
  void for_each(F&& f) const {
    for_each_segment([&](const Place* places) {
      for (uint32_t i = 0; i <= mask(places); ++i) {
        if (places[1 + i].number != kNone) f(places[1 + i].number);
      }
    });
  }

 private:
  // The first of a segment's places is its header: `hash` counts the keys, `number` holds depth and size.
  struct Place {
    uint32_t hash;
    uint32_t number;
  };
  static uint32_t mask(const Place* places) { return (1u << (places[0].number & 0xFF)) - 1; }
  static uint32_t depth(const Place* places) { return places[0].number >> 8; }  // upper bits that all its keys share

  static Place* make_segment(uint32_t depth, uint32_t log_size);
  static void put(Place* places, uint32_t hash, uint32_t number);

  size_t entries() const { return directory_[0] == nullptr ? 0 : size_t{1} << depth_; }
  size_t directory_entry(uint32_t hash) const { return static_cast<size_t>(uint64_t{hash} >> (32 - depth_)); }
  Place* segment(uint32_t hash) const { return directory_[directory_entry(hash)]; }
  void make_room(uint32_t hash);
  void replace(uint32_t hash, Place* first, Place* second);

  template <typename F>
  void for_each_segment(F&& f) const {
    for (size_t entry = 0; entry < entries();) {
      const Place* places = directory_[entry];
      entry += size_t{1} << (depth_ - depth(places));
      f(places);
    }
  }

  Place* single_ = nullptr;
  Place** directory_ = &single_;  // by the upper `depth_` bits of the hash; neighbours may share a segment
  uint32_t depth_ = 0;
  uint32_t size_ = 0;
};

template <typename Same>
bool HashIndex::distinct(Same same) const {
  bool distinct = true;
  for_each_segment([&](const Place* places) {
    // Equal hashes lie in one run.
    for (uint32_t i = 0; i <= mask(places); ++i) {
      const Place& place = places[1 + i];
      if (place.number == kNone) continue;
      for (uint32_t j = (i + 1) & mask(places); places[1 + j].number != kNone; j = (j + 1) & mask(places)) {
        if (places[1 + j].hash == place.hash && same(place.number, places[1 + j].number)) distinct = false;
      }
    }
  });
  return distinct;
}

}  // namespace memspan
