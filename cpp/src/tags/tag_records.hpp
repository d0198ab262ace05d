// Which records carry which tags, both ways.
//
// What a snapshot says of it is read when it is first asked for: many who open one ask for no tags. That may happen in a const
// member, and throw CorruptSnapshot or std::bad_alloc there; nothing has changed then. After check() nothing does.
// Thread safety: const members may run in parallel; writes need exclusion. Memory: record_tags.hpp, and 4 bytes for each tag of
// each record and 16 a tag.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/sorted_blocks.hpp"
#include "memspan/types.hpp"
#include "snapshot/body.hpp"
#include "tags/record_tags.hpp"

namespace memspan {

class TagRecords {
 public:
  using Slots = SortedBlocks<Slot>;

  // Makes the calls below safe from exceptions that are not said there.
  void check() const {
    if (stored_ && !stored_->read.load(std::memory_order_acquire)) read();
  }

  RecordTags::List of(Slot slot) const {
    check();
    return of_record_.of(slot);
  }
  // Ascending.
  const Slots& carriers(TagId tag) const {
    check();
    return of_tag_[tag];
  }

  // Tags up to that number may be asked for and used. If that throws, nothing has changed.
  void make_room(TagId tag) {
    if (tag >= of_tag_.size()) of_tag_.resize(size_t{tag} + 1);
  }
  // Writes need check() before. Gives a slot that has none room for `capacity` tags, whose numbers are below `numbers`. If that
  // throws, nothing has changed.
  void start(Slot slot, size_t capacity, size_t numbers) { of_record_.start(slot, capacity, numbers); }
  // There must be room. If that throws, the record has the tag, but not the tag the record.
  void append(Slot slot, TagId tag) {
    of_record_.append(slot, tag);
    of_tag_[tag].insert(slot, std::less<>());
  }
  // Takes the slot out of the tag's, if it is there.
  void leave(Slot slot, TagId tag) noexcept { of_tag_[tag].erase(slot, std::less<>()); }
  void clear(Slot slot) noexcept { of_record_.clear(slot); }
  // Gives the records of a tag another one, if they do not have it yet.
  void replace(TagId tag, TagId by);
  // Takes the tag away from its records; forget() is to follow.
  void drop(TagId tag) noexcept;
  // Of a tag whose records are not to know of it any more.
  void forget(TagId tag) noexcept { of_tag_[tag] = Slots(); }

  // A piece of the body: u8 tags of each slot of `live`, then each of these by its number in `numbers`, u16 where there are so few
  // tags, and u32 otherwise. In the head: u64 how many they are in all, u64 where the piece begins, u32 its CRC-32C.
  void save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live, std::span<const uint32_t> numbers, size_t tags) const;
  // Into an object without records, which has room for as many tags. Reads nothing of the piece.
  void load(ByteReader& head, const Body& body, size_t slots, size_t tags);

  size_t bytes() const;
  size_t mapped_bytes() const { return stored_ && !stored_->on_heap ? stored_->piece.size() : 0; }

 private:
  struct Stored {
    std::span<const std::byte> piece;
    std::shared_ptr<void> owner;
    bool on_heap;
    std::string file;
    uint32_t checksum;
    size_t slots;
    size_t tags;
    size_t total;  // tags of all records
    std::mutex reading;
    std::atomic<bool> read = false;
  };

  void read() const;
  template <typename Number>
  void read_numbers(ByteReader& in, const PackedValues<uint8_t>& counts) const;

  // A snapshot's, once they are read.
  mutable RecordTags of_record_;
  mutable ChunkedVector<Slots, 64> of_tag_;
  std::unique_ptr<Stored> stored_;  // null: none came from a snapshot
};

}  // namespace memspan
