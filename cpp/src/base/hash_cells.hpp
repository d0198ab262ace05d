// From the hash of a key to a number of 32 bits; the keys themselves are kept by the owner, once.
//
// Extendible hashing (Fagin, Nievergelt, Pippenger, Strong, TODS 1979): some bits of a hash choose one of many segments, each
// with open addressing. One byte of the hash, the tag, lies beside each number instead of the hash itself: half the memory, for
// which a segment that grows asks the owner for the hashes again. It grows from a few cells to a page of memory, to two, to
// three, and is then split in two, so that no insert ever costs more than 3,300 numbers that move, some tens of microseconds,
// where one table of a million would stall every reader for tens of milliseconds. Keys whose hashes agree in the bits that
// choose, which only happens on purpose, make their segment grow instead. 53 to 80 % of the cells of many numbers are in use.
// Numbers take two bytes as long as all of a segment are below 65,536, which most users never reach, and else four.
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 4.5 bytes a number of those, else 7.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"

namespace memspan {

class HashCells {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  HashCells() = default;
  ~HashCells() { clear(); }
  HashCells(HashCells&& other) noexcept { *this = std::move(other); }
  HashCells& operator=(HashCells&& other) noexcept;

  size_t size() const { return size_; }

  // The number with this hash of which equal(number) is true, or kNone.
  template <typename Equal>
  uint32_t find(uint64_t hash, Equal equal) const {
    if (size_ == 0) return kNone;
    const Segment& segment = segment_of(hash);
    for (uint32_t cell = segment.home(hash);; cell = segment.next(cell)) {
      const uint8_t tag = segment.tags()[cell];
      if (tag == 0) return kNone;
      if (tag != tag_of(hash)) continue;
      const uint32_t number = segment.number(cell);
      if (equal(number)) return number;
    }
  }
  // The number that a look-up with this hash compares first: the one it is about, most times. kNone: it finds none.
  uint32_t likely(uint64_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }
  // Asks for the memory that a look-up with this hash reads first.
  void prefetch(uint64_t hash) const {
    if (size_ == 0) return;
    const Segment& segment = segment_of(hash);
    const uint32_t cell = segment.home(hash);
    prefetch_line(segment.tags() + cell);
    prefetch_line(segment.numbers() + cell * segment.width());
  }

  // The key must be absent. If that throws, nothing has changed. See find_or_put.
  template <typename HashOf>
  void put(uint64_t hash, uint32_t number, HashOf hash_of) {
    find_or_put(hash, number, [](uint32_t) { return false; }, [number] { return number; }, hash_of);
  }
  // The number that `find` gives; if there is none, make() is put there, another number than those that are here, and `most`
  // at most. Of these, hash_of(number) is the hash, and hash_of.prefetch(number) asks for what that reads. If it throws,
  // nothing has changed.
  template <typename Equal, typename Make, typename HashOf>
  uint32_t find_or_put(uint64_t hash, uint32_t most, Equal equal, Make make, HashOf hash_of) {
    while (!segment_of(hash).has_room_for(most)) make_room(hash, most, hash_of);
    const Segment& segment = segment_of(hash);
    const uint8_t tag = tag_of(hash);
    uint32_t cell = segment.home(hash);
    for (; segment.tags()[cell] != 0; cell = segment.next(cell)) {
      if (segment.tags()[cell] != tag) continue;
      const uint32_t known = segment.number(cell);
      if (equal(known)) return known;
    }
    const uint32_t number = make();
    segment.fill(cell, tag, number);
    ++size_;
    return number;
  }
  // The pair must be there. Needs no memory.
  template <typename HashOf>
  void erase(uint64_t hash, uint32_t number, HashOf hash_of) noexcept {
    Segment& segment = segment_of(hash);
    uint32_t hole = cell_of(segment, hash, number);
    // Those behind it move up, as far as that brings them nearer to where they belong.
    for (uint32_t cell = segment.next(hole); segment.tags()[cell] != 0; cell = segment.next(cell)) {
      const uint32_t home = segment.home(hash_of(segment.number(cell)));
      if (segment.steps(home, cell) < segment.steps(hole, cell)) continue;
      segment.tags()[hole] = segment.tags()[cell];
      segment.set_number(hole, segment.number(cell));
      hole = cell;
    }
    segment.tags()[hole] = 0;
    --segment.header().used;
    --size_;
  }

  // Puts a smaller number, which is not there, in the place of one. The pair must be there. Needs no memory.
  void renumber(uint64_t hash, uint32_t number, uint32_t smaller) noexcept {
    const Segment& segment = segment_of(hash);
    segment.set_number(cell_of(segment, hash, number), smaller);
  }

  // Fills empty cells: number i has the i-th hash. False if same(a, b) is true of two numbers with one hash. O(n), several
  // times faster than one after the other.
  template <typename Same>
  bool build(std::span<const uint64_t> hashes, Same same) {
    bool distinct = true;
    constexpr size_t kAhead = 16;
    const std::unique_ptr<const uint32_t[]> numbers = make_segments(hashes);
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) prefetch_line(&hashes[numbers[i + kAhead]]);
      const uint32_t number = numbers[i];
      distinct &= segment_of(hashes[number]).put(hashes[number], number, same);
    }
    size_ = static_cast<uint32_t>(hashes.size());
    return distinct;
  }

  void clear();
  size_t bytes() const;

 private:
  struct Header {
    uint32_t used;
    uint32_t depth;  // upper bits of `directory_bits` that all its numbers share
  };
  static constexpr uint32_t most_numbers(uint32_t cells) { return cells * 4 / 5; }
  static constexpr bool is_wide(uint32_t number) { return number > std::numeric_limits<uint16_t>::max(); }
  // With what brings the numbers behind them to their place.
  static constexpr size_t bytes_of_tags(size_t cells) { return (cells + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t); }
  static constexpr size_t width(bool wide) { return wide ? sizeof(uint32_t) : sizeof(uint16_t); }
  // Header, tags, numbers of two bytes or, in a wide one, four: a cell is in use if its tag is not 0.
  struct Segment {
    std::byte* memory = nullptr;
    uint32_t cells = 0;
    bool wide = false;

    Header& header() const { return *reinterpret_cast<Header*>(memory); }
    size_t width() const { return HashCells::width(wide); }
    uint8_t* tags() const { return reinterpret_cast<uint8_t*>(memory + sizeof(Header)); }
    std::byte* numbers() const { return memory + sizeof(Header) + bytes_of_tags(cells); }
    uint32_t number(uint32_t cell) const {
      return wide ? reinterpret_cast<const uint32_t*>(numbers())[cell] : reinterpret_cast<const uint16_t*>(numbers())[cell];
    }
    void set_number(uint32_t cell, uint32_t number) const {
      if (wide) {
        reinterpret_cast<uint32_t*>(numbers())[cell] = number;
      } else {
        reinterpret_cast<uint16_t*>(numbers())[cell] = static_cast<uint16_t>(number);
      }
    }
    uint32_t home(uint64_t hash) const { return static_cast<uint32_t>((hash & 0xFFFF'FFFF) * cells >> 32); }
    uint32_t next(uint32_t cell) const { return cell + 1 == cells ? 0 : cell + 1; }
    uint32_t steps(uint32_t from, uint32_t to) const { return to >= from ? to - from : to + cells - from; }
    bool has_room_for(uint32_t number) const {
      return memory != nullptr && header().used < most_numbers(cells) && (wide || !is_wide(number));
    }
    void fill(uint32_t cell, uint8_t tag, uint32_t number) const {
      tags()[cell] = tag;
      set_number(cell, number);
      ++header().used;
    }
    // Calls f(hash, number) for each. The texts lie anywhere: their memory is asked for some numbers ahead.
    template <typename HashOf, typename F>
    void for_each(HashOf hash_of, F&& f) const {
      constexpr uint32_t kAhead = 16;
      for (uint32_t cell = 0; cell < cells; ++cell) {
        if (cell + kAhead < cells && tags()[cell + kAhead] != 0) hash_of.prefetch(number(cell + kAhead));
        if (tags()[cell] != 0) f(hash_of(number(cell)), number(cell));
      }
    }
    // False if same(number, other) is true of one that is there: it lies between where they both belong and the empty cell.
    template <typename Same>
    bool put(uint64_t hash, uint32_t number_put, Same same) const {
      const uint8_t tag = tag_of(hash);
      bool distinct = true;
      uint32_t cell = home(hash);
      for (; tags()[cell] != 0; cell = next(cell)) {
        if (tags()[cell] == tag && same(number_put, number(cell))) distinct = false;
      }
      fill(cell, tag, number_put);
      return distinct;
    }
    void put(uint64_t hash, uint32_t number_put) const {
      put(hash, number_put, [](uint32_t, uint32_t) { return false; });
    }
  };
  struct Hashed {
    uint64_t hash;
    uint32_t number;
  };

  // Of the 64 bits, the upper 8 are the tag, the next 32 choose the segment, the lowest 32 the cell.
  static uint8_t tag_of(uint64_t hash) { return static_cast<uint8_t>((hash >> 56) | 1u); }
  static uint32_t directory_bits(uint64_t hash) { return static_cast<uint32_t>(hash >> 24); }
  static size_t entry_of(uint64_t hash, uint32_t depth) {
    return static_cast<size_t>(uint64_t{directory_bits(hash)} >> (32 - depth));
  }
  static uint32_t cell_of(const Segment& segment, uint64_t hash, uint32_t number) {
    uint32_t cell = segment.home(hash);
    while (segment.number(cell) != number || segment.tags()[cell] == 0) cell = segment.next(cell);
    return cell;
  }
  const Segment& segment_of(uint64_t hash) const { return depth_ == 0 ? single_ : directory_[entry_of(hash, depth_)]; }
  Segment& segment_of(uint64_t hash) { return depth_ == 0 ? single_ : directory_[entry_of(hash, depth_)]; }
  size_t entries() const { return single_.memory == nullptr && depth_ == 0 ? 0 : size_t{1} << depth_; }

  // Makes the segment of `hash` larger or wider, or splits it, so that there is more room for a number up to `most`.
  template <typename HashOf>
  void make_room(uint64_t hash, uint32_t most, HashOf hash_of) {
    const Segment old = segment_of(hash);
    const bool wide = old.wide || is_wide(most);
    if (can_split(old)) {
      std::vector<Hashed> hashed;
      hashed.reserve(old.header().used);
      old.for_each(hash_of, [&](uint64_t its_hash, uint32_t number) { hashed.push_back({its_hash, number}); });
      return split(hash, hashed, wide);
    }
    const Segment larger = make_larger(old, wide);
    old.for_each(hash_of, [&](uint64_t its_hash, uint32_t number) { larger.put(its_hash, number); });
    replace(hash, larger);
  }
  static uint32_t cells_for(size_t numbers, bool wide);
  static size_t bytes_of(uint32_t cells, bool wide);
  static Segment make_segment(uint32_t cells, uint32_t depth, bool wide);
  static void free_segment(const Segment& segment) noexcept;
  static Segment make_larger(const Segment& old, bool wide);
  bool can_split(const Segment& segment) const;
  // Empty ones for numbers with these hashes, which come back in the order of their segments.
  std::unique_ptr<const uint32_t[]> make_segments(std::span<const uint64_t> hashes);
  void replace(uint64_t hash, const Segment& larger) noexcept;
  void split(uint64_t hash, std::span<const Hashed> hashed, bool wide);
  void double_directory();

  // Calls f(segment) for each once.
  template <typename F>
  void for_each_segment(F&& f) const {
    for (size_t entry = 0; entry < entries();) {
      const Segment segment = depth_ == 0 ? single_ : directory_[entry];
      entry += size_t{1} << (depth_ - segment.header().depth);
      f(segment);
    }
  }

  Segment single_;                         // while depth_ is 0
  std::unique_ptr<Segment[]> directory_;  // by the upper `depth_` bits of directory_bits; neighbours may share a segment
  uint32_t depth_ = 0;
  uint32_t size_ = 0;
};

}  // namespace memspan
