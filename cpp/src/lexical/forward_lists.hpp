// The forward list of each record (forward_list.hpp): strings of bytes by slot.
//
// The lists of 64 slots lie one behind the other in one piece of memory, so that a list costs its bytes, two for their number, and
// no place of its own; what comes and goes within the piece moves some kilobytes. The few lists beyond kShort bytes have memory
// of their own. Thread safety: const members may run in parallel; writes need exclusion. Memory: the lists and 2.3 bytes a slot;
// a fifth of the last piece may lie idle, and what was removed from a piece does until something comes.
//
// Image in a snapshot: the short lists one behind the other by slot, then the long ones. It is used where it lies, in memory that
// is private to the process, until a piece needs more room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/prefetch.hpp"
#include "base/sparse_column.hpp"
#include "memspan/types.hpp"

namespace memspan {

class ForwardLists {
 public:
  static constexpr size_t kShort = 1024;

  size_t size() const { return sizes_.size(); }  // slots
  bool empty(Slot slot) const { return sizes_[slot] == 0; }
  // Valid until the next change. O(1).
  std::span<const uint8_t> operator[](Slot slot) const;

  // Of a slot that is there, or the next one. O(64 lists). If that throws, nothing has changed.
  void set(Slot slot, std::span<const uint8_t> bytes);
  // Sets a list to nothing, and erases its bytes. O(64 lists). Needs no memory.
  void erase(Slot slot) noexcept;

  // Asks for the memory of a list.
  void prefetch(Slot slot) const {
    prefetch_line(&sizes_[slot - slot % kGroup]);
    if (slot / kGroup >= groups_.size()) return;
    const Group& group = groups_[slot / kGroup];
    if (group.bytes) prefetch_line(group.bytes.get() + size_t{group.size} * (slot % kGroup) / kGroup);
  }
  size_t bytes() const;  // on the heap

  // Snapshots. The image goes to its reader as it is written: u16 size of each list, kLong of long ones; u64 long ones, u32 size of
  // each.
  template <typename ListOf>
  static std::string save(ByteWriter& head, size_t count, ListOf list_of);
  // Reads the sizes into an empty object. Returns what the image takes, which use_image is to be called with next.
  uint64_t load(ByteReader& head, size_t count);
  void use_image(std::byte* image);

 private:
  static constexpr size_t kGroup = 64;
  static constexpr uint16_t kLong = std::numeric_limits<uint16_t>::max();

  struct Free {
    Free() noexcept : stored(false) {}
    explicit Free(bool in_snapshot) noexcept : stored(in_snapshot) {}
    bool stored;  // in a snapshot
    void operator()(uint8_t* bytes) const {
      if (!stored) delete[] bytes;
    }
  };
  using Bytes = std::unique_ptr<uint8_t[], Free>;
  struct Group {
    Bytes bytes;
    uint32_t size = 0;
    uint32_t capacity = 0;
  };
  struct Long {
    Bytes bytes;
    uint32_t size = 0;
  };

  static size_t short_size(uint16_t size) { return size == kLong ? 0 : size; }
  // Where the short list of the slot begins in its group, or would.
  size_t offset(Slot slot) const {
    const uint16_t* const sizes = &sizes_[slot - slot % kGroup];
    size_t sum = 0;
    for (size_t i = 0; i < slot % kGroup; ++i) sum += short_size(sizes[i]);
    return sum;
  }
  void put_short(Slot slot, std::span<const uint8_t> bytes, bool last);
  void close(Group& group) noexcept;
  size_t long_bytes(Slot slot) const;
  void drop_long(Slot slot) noexcept;

  ChunkedVector<uint16_t> sizes_;  // kLong: in `long_`
  ChunkedVector<Group, 256> groups_;  // up to the last that had a short list
  SparseColumn<Long> long_;
  size_t long_bytes_ = 0;  // of lists of these on the heap
};

template <typename ListOf>
std::string ForwardLists::save(ByteWriter& head, size_t count, ListOf list_of) {
  std::string shorts, longs;
  std::vector<uint32_t> long_sizes;
  head.put_each<uint16_t>(count, [&](size_t i) {
    const std::span<const uint8_t> list = list_of(i);
    const bool is_long = list.size() > kShort;
    (is_long ? longs : shorts).append(reinterpret_cast<const char*>(list.data()), list.size());
    if (is_long) long_sizes.push_back(static_cast<uint32_t>(list.size()));
    return is_long ? kLong : static_cast<uint16_t>(list.size());
  });
  head.put_array<uint32_t>(long_sizes);
  return std::move(shorts) + longs;
}

}  // namespace memspan
