// The length in tokens of each record.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 2 bytes a slot, and some more for records of
// 65,535 tokens and more, of which there are few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/sparse_column.hpp"
#include "memspan/types.hpp"

namespace memspan {

class RecordLengths {
 public:
  size_t size() const { return short_.size(); }
  uint32_t operator[](Slot slot) const { return short_[slot] != kLong ? short_[slot] : *long_.find(slot); }

  // Before a set() of the slot to that length, which then needs no memory. If that throws, nothing has changed.
  void make_room(Slot slot, uint32_t length) {
    short_.make_room();
    if (length >= kLong && long_.find(slot) == nullptr) long_.set(slot, 0);
  }
  // Of a slot that is there, or the next one.
  void set(Slot slot, uint32_t length) {
    const uint16_t value = length < kLong ? static_cast<uint16_t>(length) : kLong;
    if (value == kLong) long_.set(slot, length);
    if (slot == short_.size()) {
      short_.push_back(value);
    } else {
      short_[slot] = value;
    }
  }

  // u16 length of each slot of `live`, kLong: this or more; u64 of those, u32 length of each. Loaded into an empty column they are
  // those of slots 0, 1, ...
  void save(ByteWriter& out, std::span<const Slot> live) const {
    std::vector<uint32_t> long_ones;
    out.put_each<uint16_t>(live.size(), [&](size_t i) {
      const uint16_t length = short_[live[i]];
      if (length == kLong) long_ones.push_back((*this)[live[i]]);
      return length;
    });
    out.put_array<uint32_t>(long_ones);
  }
  void load(ByteReader& in, size_t count) {
    size_t long_count = 0;
    short_.fill(count, [&](std::span<uint16_t> lengths) {
      in.get_each(lengths);
      long_count += static_cast<size_t>(std::count(lengths.begin(), lengths.end(), kLong));
    });
    const auto long_ones = in.view_array<uint32_t>();
    in.check(long_ones.size() == long_count, "the lengths of long records are not those of the records");
    size_t next = 0;
    for (Slot slot = 0; next < long_count; ++slot) {
      if (short_[slot] == kLong) long_.set(slot, long_ones[next++]);
    }
  }

  size_t bytes() const { return short_.bytes() + long_.bytes(); }

 private:
  static constexpr uint16_t kLong = std::numeric_limits<uint16_t>::max();  // this or more, in `long_`

  ChunkedVector<uint16_t> short_;
  SparseColumn<uint32_t> long_;
};

}  // namespace memspan
