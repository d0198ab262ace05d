#include "lexical/byte_chains.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace memspan {

ByteChains::Chain ByteChains::write(std::span<const uint8_t> bytes) {
  const size_t count = (bytes.size() + kCellBytes - 1) / kCellBytes;
  while (size_t{capacity_} - used_ + free_count_ < count) grow();
  const Chain chain = take_cell();
  for (uint32_t i = chain;;) {
    Cell& here = cell(i);
    const size_t size = std::min(bytes.size(), kCellBytes);
    std::memcpy(here.bytes, bytes.data(), size);
    bytes = bytes.subspan(size);
    here.next = bytes.empty() ? kNone : take_cell();
    if (bytes.empty()) return chain;
    i = here.next;
  }
}

void ByteChains::release(Chain chain) {
  uint32_t last = chain;
  for (++free_count_; cell(last).next != kNone; ++free_count_) last = cell(last).next;
  cell(last).next = first_free_;
  first_free_ = chain;
}

uint32_t ByteChains::take_cell() {
  if (free_count_ == 0) return used_++;
  --free_count_;
  const uint32_t taken = first_free_;
  first_free_ = cell(taken).next;
  return taken;
}

void ByteChains::grow() {
  constexpr uint32_t kFirst = 4;
  if (capacity_ < kChunkCells) {
    const uint32_t count = std::max(kFirst, 2 * capacity_);
    auto larger = std::make_unique_for_overwrite<Cell[]>(count);
    if (capacity_ == 0) {
      chunks_.push_back(std::move(larger));
    } else {
      std::copy_n(chunks_.front().get(), used_, larger.get());
      chunks_.front() = std::move(larger);
    }
    capacity_ = count;
    return;
  }
  if (capacity_ > kNone - kChunkCells) throw std::length_error("a user has more than 4 G cells of terms");
  chunks_.push_back(std::make_unique_for_overwrite<Cell[]>(kChunkCells));
  capacity_ += kChunkCells;
}

}  // namespace memspan
