#include "tags/tag_records.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/crc32c.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

constexpr size_t kNarrowTags = size_t{std::numeric_limits<uint16_t>::max()} + 1;

size_t number_bytes(size_t tags) { return tags <= kNarrowTags ? sizeof(uint16_t) : sizeof(uint32_t); }

}  // namespace

void TagRecords::replace(TagId tag, TagId by) {
  for (Slot slot : of_tag_[tag]) {
    of_record_.make_room_for(slot, by);
    of_record_.erase(slot, tag);
    if (of_record_.of(slot).contains(by)) continue;
    of_record_.append(slot, by);
    of_tag_[by].insert(slot, std::less<>());
  }
}

void TagRecords::drop(TagId tag) noexcept {
  for (Slot slot : of_tag_[tag]) of_record_.erase(slot, tag);
}

void TagRecords::save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live, std::span<const uint32_t> numbers,
                      size_t tags) const {
  check();
  ByteWriter piece;
  size_t total = 0;
  piece.put_each<uint8_t>(live.size(), [&](size_t i) {
    const size_t count = of_record_.of(live[i]).size();
    total += count;
    return static_cast<uint8_t>(count);
  });
  for (const Slot slot : live) {
    for (const TagId tag : of_record_.of(slot)) {
      if (tags <= kNarrowTags) {
        piece.put(static_cast<uint16_t>(numbers[tag]));
      } else {
        piece.put(numbers[tag]);
      }
    }
  }
  head.put<uint64_t>(total);
  if (total == 0) return;
  head.put<uint64_t>(body.append(std::as_bytes(std::span(piece.bytes()))));
  head.put<uint32_t>(crc32c(piece.bytes()));
}

void TagRecords::load(ByteReader& head, const Body& body, size_t slots, size_t tags) {
  const auto total = head.get<uint64_t>();
  if (total == 0) return;
  head.check(tags > 0 && total <= slots * limits::kTagsPerRecord, "the records have too many tags");
  const uint64_t size = slots + total * number_bytes(tags);
  const std::byte* const piece = body.piece(head, size, "the tags of records lie outside the body");
  stored_ = std::make_unique<Stored>();
  stored_->piece = {piece, size};
  stored_->owner = body.owner;
  stored_->on_heap = body.on_heap;
  stored_->file = head.file();
  stored_->checksum = head.get<uint32_t>();
  stored_->slots = slots;
  stored_->tags = tags;
  stored_->total = total;
}

void TagRecords::read() const {
  const std::lock_guard reading(stored_->reading);
  if (stored_->read.load(std::memory_order_relaxed)) return;
  if (crc32c(stored_->piece) != stored_->checksum) {
    throw CorruptSnapshot(stored_->file, 0, "the tags of a user's records are damaged");
  }
  ByteReader in({reinterpret_cast<const char*>(stored_->piece.data()), stored_->piece.size()}, stored_->file, 0);
  const auto counts = in.view_each<uint8_t>(stored_->slots);
  size_t total = 0;
  for (size_t slot = 0; slot < counts.size(); ++slot) {
    in.check(counts[slot] <= limits::kTagsPerRecord, "a record has too many tags");
    total += counts[slot];
  }
  in.check(total == stored_->total, "there are tags of no record");
  if (number_bytes(stored_->tags) == sizeof(uint16_t)) {
    read_numbers<uint16_t>(in, counts);
  } else {
    read_numbers<uint32_t>(in, counts);
  }
  stored_->read.store(true, std::memory_order_release);
}

// The records of the tags follow from the tags of the records.
template <typename Number>
void TagRecords::read_numbers(ByteReader& in, const PackedValues<uint8_t>& counts) const {
  const size_t tags = stored_->tags;
  const size_t total = stored_->total;
  const auto numbers = in.view_each<Number>(total);
  // Of each tag: where its records begin, once they are counted, and where they end, once they are there.
  std::vector<uint32_t> starts(tags + 1, 0);
  for (size_t i = 0; i < total; ++i) {
    in.check(numbers[i] < tags, "a record has an unknown tag");
    ++starts[size_t{numbers[i]} + 1];
  }
  RecordTags of_record;
  of_record.fill(counts, numbers, tags);
  for (size_t tag = 1; tag <= tags; ++tag) starts[tag] += starts[tag - 1];
  const auto sorted = std::make_unique_for_overwrite<Slot[]>(total);  // by tag
  size_t next = 0;
  for (Slot slot = 0; slot < counts.size(); ++slot) {
    for (const size_t end = next + counts[slot]; next < end; ++next) sorted[starts[numbers[next]]++] = slot;
  }
  ChunkedVector<Slots, 64> of_tag;
  of_tag.resize(of_tag_.size());
  const Slot* from = sorted.get();
  for (size_t tag = 0; tag < tags; ++tag) {
    const size_t count = starts[tag] - (tag == 0 ? 0 : starts[tag - 1]);
    in.check(std::adjacent_find(from, from + count) == from + count, "a record has a tag twice");
    of_tag[tag].fill(count, [&](std::span<Slot> slots) {
      std::copy_n(from, slots.size(), slots.begin());
      from += slots.size();
    });
  }
  of_record_ = std::move(of_record);
  of_tag_ = std::move(of_tag);
}

// What is not read yet counts as what it will take, so that reading it is no surprise for a limit.
size_t TagRecords::bytes() const {
  size_t total = 0;
  if (stored_) {
    total += sizeof(Stored) + (stored_->on_heap ? stored_->piece.size() : 0);
    if (!stored_->read.load(std::memory_order_acquire)) {  // and somebody may be about to
      constexpr size_t kOfRecord = 10;  // where its tags lie, how many they are, and what is rounded up
      return total + stored_->slots * kOfRecord + stored_->total * (sizeof(Slot) + number_bytes(stored_->tags)) +
             stored_->tags * sizeof(Slots);
    }
  }
  total += of_record_.bytes() + of_tag_.bytes();
  for (size_t tag = 0; tag < of_tag_.size(); ++tag) total += of_tag_[tag].bytes();
  return total;
}

}  // namespace memspan
