#include "vectors/stored_rows.hpp"

#include <utility>

#include "base/crc32c.hpp"

namespace memspan {

StoredRows::StoredRows(ByteReader& in, const Body& body, size_t row_bytes, Test test)
    : row_bytes_(row_bytes), shift_(shift_of(row_bytes)), on_heap_(body.on_heap), test_(std::move(test)), owner_(body.owner), file_(in.file()) {
  const auto rows = in.get<uint64_t>();
  if (rows == 0) return;
  in.check(rows <= body.size / row_bytes, "there are more rows than the body holds");
  data_ = body.piece(in, rows * row_bytes, "rows lie outside the body");
  offset_ = static_cast<uint64_t>(data_ - body.data);
  sums_ = in.get_array<uint32_t>();
  in.check(sums_.size() == ((rows - 1) >> shift_) + 1, "the checksums are not those of the rows");
  rows_ = rows;
  checked_ = std::make_unique<std::atomic<uint64_t>[]>(words(units()));
  if (!on_heap_) written_.resize(words(body_bytes() / kPage + 2));  // the first page and the last are shared with others
}

void StoredRows::note_write(size_t row) noexcept {
  const size_t from_page = reinterpret_cast<uintptr_t>(data_) % kPage;
  const size_t begin = from_page + row * row_bytes_;
  for (size_t page = begin / kPage; page <= (begin + row_bytes_ - 1) / kPage; ++page) {
    const uint64_t bit = uint64_t{1} << (page & 63);
    written_pages_ += (written_[page >> 6] & bit) == 0;
    written_[page >> 6] |= bit;
  }
}

unsigned StoredRows::shift_of(size_t row_bytes) {
  unsigned shift = 4;
  static_assert(kLeastRows == 1u << 4);
  while ((row_bytes << (shift + 1)) <= kUnitBytes) ++shift;
  return shift;
}

uint32_t StoredRows::checksum(const std::byte* bytes, size_t size) { return crc32c({bytes, size}); }

// Several readers may do this at the same time, with the same result. A bit says nothing but that the bytes, which the
// bit does not publish, are sound.
bool StoredRows::check_unit(size_t unit) const noexcept {
  const size_t first = unit << shift_;
  const size_t count = std::min(size_t{1} << shift_, rows_ - first);
  const std::byte* const bytes = data_ + first * row_bytes_;
  if (checksum(bytes, count * row_bytes_) != sums_[unit]) return false;
  for (size_t i = 0; test_ && i < count; ++i) {
    if (!test_(bytes + i * row_bytes_)) return false;
  }
  checked_[unit >> 6].fetch_or(uint64_t{1} << (unit & 63), std::memory_order_relaxed);
  return true;
}

void StoredRows::fail(size_t unit) const {
  throw CorruptSnapshot(file_, 0, "the rows at " + std::to_string(offset_ + (unit << shift_) * row_bytes_) +
                                      " of a user's body are damaged");
}

}  // namespace memspan
