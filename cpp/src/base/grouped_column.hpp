// A column by slot in which neighbours mostly have one value: what comes in one call is learned at one time.
//
// It has a value for each 64 slots and, where theirs differ, an array of their own. Thread safety: const members may run in
// parallel; writes need exclusion. Memory: 16 bytes for 64 slots, and sizeof(T) for each slot of a group whose values differ,
// whose array grows by doubling as long as it is the last.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/prefetch.hpp"
#include "memspan/types.hpp"

namespace memspan {

template <typename T>
class GroupedColumn {
  static_assert(std::is_arithmetic_v<T>);

 public:
  size_t size() const { return size_; }
  T operator[](Slot slot) const {
    const Group& group = groups_[slot / kGroup];
    return group.own ? group.own[slot % kGroup] : group.common;
  }
  void prefetch(Slot slot) const { prefetch_line(&groups_[slot / kGroup]); }

  // Of a slot that is there, or the next one. O(64). If that throws, nothing has changed.
  void set(Slot slot, T value) {
    const size_t place = slot % kGroup;
    if (slot / kGroup == groups_.size()) groups_.push_back({value, nullptr});
    Group& group = groups_[slot / kGroup];
    const size_t used = used_of(slot / kGroup);
    const size_t needed = std::max(used, place + 1);
    if (group.own ? capacity_of(needed) > capacity_of(used) : needed > 1 && group.common != value) {
      auto own = std::make_unique_for_overwrite<T[]>(capacity_of(needed));
      for (size_t i = 0; i < used; ++i) own[i] = group.own ? group.own[i] : group.common;
      group.own = std::move(own);
    }
    if (group.own) {
      group.own[place] = value;
    } else {
      group.common = value;
    }
    size_ = std::max(size_, slot + 1);
  }

  // Image of `count` values: u8 for each 64 of them, 1 if they differ; then for each 64 the one value, or all of them.
  template <typename ValueOf>
  static void save(ByteWriter& out, size_t count, ValueOf value_of) {
    std::vector<T> values;
    out.put_each<uint8_t>(groups_of(count), [&](size_t group) {
      const size_t first = group * kGroup;
      const size_t used = std::min(kGroup, count - first);
      values.push_back(value_of(first));
      size_t same = 1;
      while (same < used && value_of(first + same) == values.back()) ++same;
      for (size_t i = 1; same < used && i < used; ++i) values.push_back(value_of(first + i));
      return static_cast<uint8_t>(same < used);
    });
    out.put_array<T>(values);
  }
  // Into an empty column.
  void load(ByteReader& in, size_t count) {
    const auto differ = in.view_each<uint8_t>(groups_of(count));
    const auto values = in.view_array<T>();
    size_t next = 0;
    for (size_t group = 0; group < differ.size(); ++group) {
      const size_t used = std::min(kGroup, count - group * kGroup);
      in.check(differ[group] <= 1, "a mark of values that differ is neither 0 nor 1");
      const size_t stored = differ[group] == 1 ? used : 1;
      in.check(stored <= values.size() - next, "a column has too few values");
      Group loaded{values[next], nullptr};
      if (differ[group] == 1) {
        loaded.own = std::make_unique_for_overwrite<T[]>(capacity_of(used));
        for (size_t i = 0; i < used; ++i) loaded.own[i] = values[next + i];
      }
      next += stored;
      groups_.push_back(std::move(loaded));
      size_ += static_cast<uint32_t>(used);
    }
    in.check(next == values.size(), "a column has too many values");
  }

  size_t bytes() const {
    size_t total = groups_.bytes();
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (groups_[group].own) total += capacity_of(used_of(group)) * sizeof(T);
    }
    return total;
  }

 private:
  static constexpr size_t kGroup = 64;
  struct Group {
    T common;  // of all slots
    std::unique_ptr<T[]> own;  // null: there is such a value; capacity_of(slots of the group)
  };

  static size_t groups_of(size_t count) { return (count + kGroup - 1) / kGroup; }
  static size_t capacity_of(size_t used) { return std::bit_ceil(std::max<size_t>(used, 4)); }
  // Slots of the group that are there.
  size_t used_of(size_t group) const { return std::min(kGroup, size_ - group * kGroup); }

  ChunkedVector<Group, 256> groups_;
  uint32_t size_ = 0;
};

}  // namespace memspan
