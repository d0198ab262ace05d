// For filters that want a field of the metadata to equal something: 16 bits for each record that follow from the field's
// value. Records that cannot match are passed over 64 at a time by them, without a look at their metadata.
//
// A field gets its codes with the first filter that would ask many records for it (Attributes::field_codes), and keeps them
// up to date from then on; they are no part of a snapshot. The first kMost fields of a user get some.
// Thread safety: const members may run in parallel, make() too: it puts a finished column in front of the others by
// compare-and-swap, and columns change by writes alone, which need exclusion.
// Memory: one pointer; 2 bytes a slot for each field that filters ask for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attributes/field_path.hpp"
#include "base/bitset.hpp"
#include "memspan/types.hpp"

namespace memspan {

class FieldCodes {
 public:
  using Code = uint16_t;
  static constexpr Code kMissing = 0;  // the record has no such field
  static constexpr size_t kMost = 8;

  // Never kMissing; of values that are equal (json_equal), equal. O(size) of a string, O(1) otherwise.
  static Code of(const json::value& value) noexcept;
  static Code of(const json::object& metadata, const FieldPath& path) noexcept {
    const json::value* const value = find_field(metadata, path);
    return value == nullptr ? kMissing : of(*value);
  }

  class Column {
   public:
    bool is_any_of(Slot slot, std::span<const Code> wanted) const {
      return std::find(wanted.begin(), wanted.end(), codes_[slot]) != wanted.end();
    }
    // Leaves in a set of records those with one of the codes. `marks` is memory for it. O(slots x codes / 32).
    void keep(std::span<const Code> wanted, Bitset& records, std::vector<uint64_t>& marks) const;

   private:
    friend class FieldCodes;
    FieldPath path_;
    std::vector<Code> codes_;  // by slot; a multiple of 64
    Column* next_ = nullptr;
  };

  FieldCodes() = default;
  ~FieldCodes() { free_all(); }
  FieldCodes(FieldCodes&& other) noexcept : first_(other.first_.exchange(nullptr)) {}
  FieldCodes& operator=(FieldCodes&& other) noexcept {
    free_all();
    first_ = other.first_.exchange(nullptr);
    return *this;
  }

  // nullptr: the field has no codes.
  const Column* find(const FieldPath& path) const { return find_from(first_.load(std::memory_order_acquire), path); }
  bool full() const;
  // Gives a field codes, one for each slot, which may come to be many more; returns nullptr if there are kMost columns by
  // now. Another thread's column of the same field is as good.
  const Column* make(const FieldPath& path, std::vector<Code> codes) const;

  // Before a set() of the slot, which then needs no memory. If that throws, nothing has changed.
  void make_room(Slot slot) {
    for_each([&](Column& column) {
      if (slot >= column.codes_.size()) column.codes_.resize(padded(size_t{slot} + 1), kMissing);
    });
  }
  void set(Slot slot, const json::object& metadata) noexcept {
    for_each([&](Column& column) { column.codes_[slot] = of(metadata, column.path_); });
  }

  size_t bytes() const;

 private:
  static size_t padded(size_t slots) { return (slots + 63) / 64 * 64; }
  static const Column* find_from(const Column* column, const FieldPath& path);
  template <typename Use>
  void for_each(Use use) const {
    for (Column* column = first_.load(std::memory_order_acquire); column != nullptr; column = column->next_) use(*column);
  }
  void free_all() noexcept;

  mutable std::atomic<Column*> first_ = nullptr;
};

}  // namespace memspan
