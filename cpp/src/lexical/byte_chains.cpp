#include "lexical/byte_chains.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace memspan {
namespace {

constexpr uint32_t kFewCells = 4;  // that a short first chunk grows by at least

}  // namespace

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
  if (capacity_ < kChunkCells) {
    const uint32_t count = std::min(kChunkCells, capacity_ + std::max(kFewCells, capacity_ / 2));
    Chunk larger(new Cell[count]);
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
  chunks_.emplace_back(new Cell[kChunkCells]);
  capacity_ += kChunkCells;
}

size_t ByteChains::bytes() const { return (capacity_ - stored_) * sizeof(Cell) + chunks_.capacity() * sizeof(chunks_[0]); }

void ByteChains::write_image(std::span<const uint8_t> bytes, std::string& out) {
  auto next = static_cast<uint32_t>(out.size() / sizeof(Cell));
  while (!bytes.empty()) {
    Cell cell = {++next, {}};
    const size_t size = std::min(bytes.size(), kCellBytes);
    std::memcpy(cell.bytes, bytes.data(), size);
    bytes = bytes.subspan(size);
    if (bytes.empty()) cell.next = kNone;
    out.append(reinterpret_cast<const char*>(&cell), sizeof cell);
  }
}

// A few cells are copied, since a store that owns a small chunk grows in small steps. The rest of the last chunk of many
// is never used: it is not part of the image.
void ByteChains::use_image(std::byte* image, size_t count) {
  auto* const cells = reinterpret_cast<Cell*>(image);
  if (count == 0) return;
  if (count < kChunkCells) {
    chunks_.emplace_back(new Cell[count]);
    std::copy_n(cells, count, chunks_.front().get());
    used_ = capacity_ = static_cast<uint32_t>(count);
    return;
  }
  chunks_.reserve(count / kChunkCells + 2);
  for (size_t first = 0; first < count; first += kChunkCells) chunks_.emplace_back(cells + first, Free{true});
  used_ = capacity_ = stored_ = static_cast<uint32_t>(chunks_.size() * kChunkCells);
}

bool ByteChains::is_sound_image(const ChunkedVector<Chain>& chains, size_t size, size_t count) const {
  // From the end, since a chain goes as far as the next one.
  size_t end = count;
  for (size_t i = size; i-- > 0;) {
    if (chains[i] == kNone) continue;
    for (size_t c = chains[i]; c < end; ++c) {
      if (cell(static_cast<uint32_t>(c)).next != (c + 1 < end ? c + 1 : kNone)) return false;
    }
    end = chains[i];
  }
  return end == 0;
}

}  // namespace memspan
