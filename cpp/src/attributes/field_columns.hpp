// Numbers that follow from one field of each record's metadata, by which a filter passes over records without a look at these.
//
// A field gets its column with the first filter that would ask many records for it (Attributes::field_codes, field_keys),
// and keeps it up to date from then on; it is no part of a snapshot. The first kMost fields of a user get one.
// Thread safety: const members may run in parallel, make() too: it puts a finished column in front of the others by
// compare-and-swap, and columns change by writes alone, which need exclusion.
// Memory: one pointer; a number for each slot and field that filters ask for.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attributes/field_path.hpp"
#include "memspan/types.hpp"

namespace memspan {

// Of says what the numbers are: Number, kMissing for records without the field, `Number of(const json::value&) noexcept`.
template <typename Of, size_t kMostFields>
class FieldColumns {
 public:
  using Number = typename Of::Number;
  static_assert(Of::kMissing == 0, "numbers begin as that");
  static constexpr size_t kMost = kMostFields;

  class Column {
   public:
    Number operator[](Slot slot) const { return numbers_[slot]; }
    std::span<const Number> numbers() const { return numbers_; }  // by slot; a multiple of 64

   private:
    friend class FieldColumns;
    FieldPath path_;
    std::vector<Number> numbers_;
    Column* next_ = nullptr;
  };

  static Number of(const json::object& metadata, const FieldPath& path) noexcept {
    const json::value* const value = find_field(metadata, path);
    return value == nullptr ? Of::kMissing : Of::of(*value);
  }

  FieldColumns() = default;
  ~FieldColumns() { free_all(); }
  FieldColumns(FieldColumns&& other) noexcept : first_(other.first_.exchange(nullptr)) {}
  FieldColumns& operator=(FieldColumns&& other) noexcept {
    free_all();
    first_ = other.first_.exchange(nullptr);
    return *this;
  }

  // nullptr: the field has no column.
  const Column* find(const FieldPath& path) const { return find_from(first_.load(std::memory_order_acquire), path); }
  size_t count() const {
    size_t columns = 0;
    for_each([&](const Column&) { ++columns; });
    return columns;
  }
  bool full() const { return count() >= kMost; }
  // How many numbers a column of so many slots has: whole words of 64 records.
  static size_t padded(size_t slots) { return (slots + 63) / 64 * 64; }
  // Gives a field a column, with padded() numbers, which may come to be many more; returns nullptr if there are kMost by now.
  // Another thread's of the same field is as good.
  const Column* make(const FieldPath& path, std::vector<Number> numbers) const {
    auto column = std::make_unique<Column>();
    column->path_ = path;
    column->numbers_ = std::move(numbers);
    Column* first = first_.load(std::memory_order_acquire);
    do {
      if (const Column* const other = find_from(first, path)) return other;
      if (full()) return nullptr;
      column->next_ = first;
    } while (!first_.compare_exchange_weak(first, column.get(), std::memory_order_acq_rel, std::memory_order_acquire));
    return column.release();
  }

  // Before a set() of the slot, which then needs no memory. If that throws, nothing has changed.
  void make_room(Slot slot) {
    for_each([&](Column& column) {
      if (slot >= column.numbers_.size()) column.numbers_.resize(padded(size_t{slot} + 1));
    });
  }
  void set(Slot slot, const json::object& metadata) noexcept {
    for_each([&](Column& column) { column.numbers_[slot] = of(metadata, column.path_); });
  }

  size_t bytes() const {
    size_t total = 0;
    for_each([&](const Column& column) {
      total += sizeof(Column) + column.numbers_.capacity() * sizeof(Number) + column.path_.capacity() * sizeof(std::string);
    });
    return total;
  }

 private:
  static const Column* find_from(const Column* column, const FieldPath& path) {
    while (column != nullptr && column->path_ != path) column = column->next_;
    return column;
  }
  template <typename Use>
  void for_each(Use use) const {
    for (Column* column = first_.load(std::memory_order_acquire); column != nullptr; column = column->next_) use(*column);
  }
  void free_all() noexcept {
    for (Column* column = first_.exchange(nullptr); column != nullptr;) delete std::exchange(column, column->next_);
  }

  mutable std::atomic<Column*> first_ = nullptr;
};

}  // namespace memspan
