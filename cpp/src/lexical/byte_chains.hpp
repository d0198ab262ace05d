// Byte strings of any length in chains of small cells, each of which can become part of any other chain once it is
// released. So strings that come and go for ever leave nothing unusable behind.
//
// The cells lie in chunks of 64 kB that never move (the first grows up to that), so that growing never copies much.
// An empty store owns no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace memspan {

class ByteChains {
  static constexpr size_t kCellBytes = 28;
  struct Cell {
    uint32_t next;  // in the chain, or of the free cells
    uint8_t bytes[kCellBytes];
  };

 public:
  using Chain = uint32_t;  // number of the first cell
  static constexpr Chain kNone = std::numeric_limits<Chain>::max();

  // Reads a chain from its start; the reader must know where it ends. Valid until the store changes.
  class Reader {
   public:
    Reader(const ByteChains& chains, Chain chain) : chains_(&chains), cell_(&chains.cell(chain)) {}
    uint8_t next() {
      if (position_ == kCellBytes) {
        cell_ = &chains_->cell(cell_->next);
        position_ = 0;
      }
      return cell_->bytes[position_++];
    }

   private:
    const ByteChains* chains_;
    const Cell* cell_;
    size_t position_ = 0;
  };

  // Stores at least one byte. Throws std::bad_alloc or std::length_error; then nothing changed.
  Chain write(std::span<const uint8_t> bytes);
  // Needs no memory. O(length).
  void release(Chain chain);

  size_t bytes() const { return capacity_ * sizeof(Cell) + chunks_.capacity() * sizeof(chunks_[0]); }

 private:
  static constexpr uint32_t kChunkBits = 11;
  static constexpr uint32_t kChunkCells = 1u << kChunkBits;

  Cell& cell(uint32_t i) { return chunks_[i >> kChunkBits][i & (kChunkCells - 1)]; }
  const Cell& cell(uint32_t i) const { return chunks_[i >> kChunkBits][i & (kChunkCells - 1)]; }
  void grow();
  uint32_t take_cell();

  std::vector<std::unique_ptr<Cell[]>> chunks_;
  uint32_t capacity_ = 0;
  uint32_t used_ = 0;        // cells from here on were never in a chain
  uint32_t first_free_ = kNone;
  uint32_t free_count_ = 0;  // of those below used_
};

}  // namespace memspan
