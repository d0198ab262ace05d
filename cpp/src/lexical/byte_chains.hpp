// Byte strings of any length in chains of small cells, each of which can become part of any other chain once it is
// released. So strings that come and go for ever leave nothing unusable behind.
//
// The cells lie in chunks of 8 kB that never move (the first grows up to that), so that growing never copies much, and little
// of the last one lies idle where a user has some hundred records.
// An empty store owns no memory. The chunks of a snapshot are used where they lie in it; that memory is private to the
// process.
// Image of a chain in a snapshot: its cells one after the other, each naming the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/chunked_vector.hpp"
#include "base/prefetch.hpp"

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
        if (cell_->next == kNone) return 0;  // a string that is shorter than it says, out of a snapshot
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

  void prefetch(Chain chain) const {
    if (chain != kNone) prefetch_line(&cell(chain));
  }
  size_t bytes() const;  // on the heap

  // Snapshots. The image of a string of so many bytes takes so many cells.
  static size_t cells(size_t bytes) { return (bytes + kCellBytes - 1) / kCellBytes; }
  static constexpr size_t image_bytes(size_t cells) { return cells * sizeof(Cell); }
  // Appends the image of a string to those of others.
  static void write_image(std::span<const uint8_t> bytes, std::string& out);
  // Takes over `count` cells at `image`, at a multiple of 4, into an empty store: chains of which is_sound_image must be
  // true before they are read. Reads nothing if `count` is large.
  void use_image(std::byte* image, size_t count);
  // Do the first `size` chains, ascending or kNone, lie in the `count` cells one after the other and without a gap?
  bool is_sound_image(const ChunkedVector<Chain>& chains, size_t size, size_t count) const;

 private:
  static constexpr uint32_t kChunkBits = 8;
  static constexpr uint32_t kChunkCells = 1u << kChunkBits;

  Cell& cell(uint32_t i) { return chunks_[i >> kChunkBits][i & (kChunkCells - 1)]; }
  const Cell& cell(uint32_t i) const { return chunks_[i >> kChunkBits][i & (kChunkCells - 1)]; }
  void grow();
  uint32_t take_cell();

  struct Free {
    bool stored = false;  // in a snapshot
    void operator()(Cell* cells) const {
      if (!stored) delete[] cells;
    }
  };
  using Chunk = std::unique_ptr<Cell[], Free>;

  std::vector<Chunk> chunks_;
  uint32_t stored_ = 0;      // cells of the first chunks, which lie in a snapshot
  uint32_t capacity_ = 0;
  uint32_t used_ = 0;        // cells from here on were never in a chain
  uint32_t first_free_ = kNone;
  uint32_t free_count_ = 0;  // of those below used_
};

}  // namespace memspan
