// Rows of equal size that lie in the body of a snapshot and are used there.
//
// They are much too many to be read at opening, so they are checked unit by unit, when a row of the unit is read for
// the first time: against a checksum in the snapshot's head and, where a test is given, row by row, since a checksum is
// no signature. What is written to a row is checked before, too. The memory is private to the process.
//
//   head := u64 rows  and, if there are any: u64 offset in the body  u32[] CRC-32C of each unit
//   body := the rows, one after the other
//
// Thread safety: const members may run in parallel; writes to rows need exclusion. Memory: 4 bytes and a bit for a unit,
// which takes 24 to 32 kB in the body; a bit for each page of a mapped body; and the pages of those that were written to.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "snapshot/body.hpp"

namespace memspan {

class StoredRows {
 public:
  // May the row be used?
  using Test = std::function<bool(const std::byte* row)>;  // empty: any

  // `in` stands at the head. Reads nothing of the body.
  StoredRows(ByteReader& in, const Body& body, size_t row_bytes, Test test);

  // Writes the head, and `rows` rows to the body; copy(i, out) writes row i.
  template <typename Copy>
  static void save(ByteWriter& head, BodyWriter& body, size_t rows, size_t row_bytes, Copy copy);

  size_t size() const { return rows_; }
  size_t mapped_bytes() const { return body_bytes() - private_bytes(); }
  size_t heap_bytes() const {
    return sizeof(*this) + sums_.capacity() * sizeof(uint32_t) + words(units()) * sizeof(uint64_t) +
           written_.capacity() * sizeof(uint64_t) + private_bytes();
  }
  const std::byte* data() const { return data_; }
  std::byte* data() { return data_; }

  // Throws CorruptSnapshot if one of the rows cannot be believed. O(1) for rows that were checked before.
  void check(size_t first, size_t count = 1) const {
    if (count == 0) return;
    for (size_t unit = first >> shift_; unit <= (first + count - 1) >> shift_; ++unit) {
      if (!is_checked(unit) && !check_unit(unit)) fail(unit);
    }
  }
  // Must come before a write to the row. Rows that are damaged stay so: every check of them fails after the write too.
  void prepare_write(size_t row) noexcept {
    if (!is_checked(row >> shift_)) check_unit(row >> shift_);
    if (!on_heap_) note_write(row);
  }

 private:
  static constexpr size_t kLeastRows = 16;  // so that units of any rows of whole words fill cache lines
  static constexpr size_t kUnitBytes = 1u << 15;

  static constexpr size_t kPage = 4096;

  size_t body_bytes() const { return rows_ * row_bytes_; }
  // Of the body: what the system cannot take back.
  size_t private_bytes() const { return on_heap_ ? body_bytes() : std::min(body_bytes(), written_pages_ * kPage); }
  void note_write(size_t row) noexcept;
  static unsigned shift_of(size_t row_bytes);
  static size_t words(size_t units) { return (units + 63) / 64; }
  size_t units() const { return sums_.size(); }
  bool is_checked(size_t unit) const {
    return (checked_[unit >> 6].load(std::memory_order_relaxed) >> (unit & 63) & 1) != 0;
  }
  bool check_unit(size_t unit) const noexcept;
  [[noreturn]] void fail(size_t unit) const;
  static uint32_t checksum(const std::byte* bytes, size_t size);

  size_t rows_ = 0;
  size_t row_bytes_;
  unsigned shift_;  // a unit holds 1 << shift_ rows
  bool on_heap_;    // the body
  Test test_;
  std::byte* data_ = nullptr;
  uint64_t offset_ = 0;
  std::shared_ptr<void> owner_;
  std::vector<uint32_t> sums_;
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;  // a bit for each unit
  std::vector<uint64_t> written_;                     // a bit for each page of a mapped body
  size_t written_pages_ = 0;
  std::string file_;
};

template <typename Copy>
void StoredRows::save(ByteWriter& head, BodyWriter& body, size_t rows, size_t row_bytes, Copy copy) {
  head.put<uint64_t>(rows);
  if (rows == 0) return;
  const size_t unit_rows = size_t{1} << shift_of(row_bytes);
  static_assert(kLeastRows * sizeof(float) % BodyWriter::kAlignment == 0, "units follow each other without gaps");
  std::vector<std::byte> unit(unit_rows * row_bytes);
  std::vector<uint32_t> sums;
  uint64_t offset = 0;
  for (size_t first = 0; first < rows; first += unit_rows) {
    const size_t count = std::min(unit_rows, rows - first);
    for (size_t i = 0; i < count; ++i) copy(first + i, unit.data() + i * row_bytes);
    const std::span<const std::byte> bytes(unit.data(), count * row_bytes);
    sums.push_back(checksum(bytes.data(), bytes.size()));
    const uint64_t place = body.append(bytes);
    if (first == 0) offset = place;
  }
  head.put<uint64_t>(offset);
  head.put_array<uint32_t>(sums);
}

}  // namespace memspan
