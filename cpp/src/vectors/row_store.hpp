// The rows of a user by slot: unit vectors for exact scores, as row_shape.hpp lays them out. Rows never move once they are
// written, but for those of a last chunk that was made, or cut, to fit because no more were expected.
//
// The first rows may be those of a snapshot, where they lie in it (stored_rows.hpp): they must be checked before they
// are read or written.
// Thread safety: const members may run in parallel; writes need exclusion. `pin` keeps the memory of the rows alive for
// a reader without a lock, as long as nobody overwrites the rows that it reads.
// Memory: that of a row for each slot, in the chunks of row_chunks.hpp; of stored rows next to nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "memspan/types.hpp"
#include "vectors/row_chunks.hpp"
#include "vectors/stored_rows.hpp"

namespace memspan {

class RowStore {
 public:
  explicit RowStore(size_t row_bytes) : row_bytes_(static_cast<uint32_t>(row_bytes)), geometry_(row_bytes) {}
  // The stored rows are those of slots 0, 1, ...; their data must be at a multiple of 64.
  RowStore(size_t row_bytes, std::shared_ptr<StoredRows> stored)
      : row_bytes_(static_cast<uint32_t>(row_bytes)), geometry_(row_bytes), size_(stored->size()), room_(size_), stored_size_(size_), stored_(std::move(stored)) {}

  size_t row_bytes() const { return row_bytes_; }  // less than 4 GB, but products of it may be more
  size_t size() const { return size_; }
  size_t room() const { return room_; }  // slots for which there is memory
  // So many rows are about to come, and then perhaps no more: a last chunk that they do not fill is made for them alone, if it
  // is soon moved when one more comes.
  void expect(size_t rows) { expected_ = size_ + rows; }
  void grow(size_t slots) {
    while (slots > room_) make_room();
    size_ = std::max(size_, slots);
  }
  // Gives back what the last chunk has room for, in whole pages, until rows come again; then it moves. Not where that takes
  // long: an insertion that moves 100 kB takes some microseconds longer, but 512 kB took one in a hundred milliseconds. Rows that
  // are pinned stay where they are.
  void fit() noexcept {
    if (chunks_.empty()) return;
    AlignedBuffer<std::byte>& last = *chunks_.back().memory;
    const size_t before = geometry_.capacity(chunks_.size() - 1);
    last.shrink((size_ - stored_size_ - before) * row_bytes(), RowChunks::kSoonMoved);
    room_ = stored_size_ + before + last.size() / row_bytes();
  }

  // A large chunk can be made before it is needed, without exclusion: `wants_spare` says that fewer than kFewLeft slots are
  // left, and a spare that is no longer wanted is not taken.
  using ChunkMemory = std::shared_ptr<AlignedBuffer<std::byte>>;
  static constexpr size_t kFewLeft = 64;
  bool wants_spare() const { return !spare_ && geometry_.is_large(chunks_.size()) && has_few_left(); }
  size_t spare_bytes() const { return geometry_.large_rows() * row_bytes(); }
  static ChunkMemory make_spare(size_t bytes) {
    auto spare = std::make_shared<AlignedBuffer<std::byte>>(bytes);
    spare->touch();
    return spare;
  }
  void take_spare(ChunkMemory& spare) {
    if (wants_spare()) spare_ = std::move(spare);
  }
  // Bytes of the next chunk where it is a smaller one that will soon be made; else 0.
  size_t next_chunk() const {
    if (geometry_.is_large(chunks_.size()) || !has_few_left()) return 0;
    return geometry_.size(chunks_.size()) * row_bytes();
  }

  std::byte* row(Slot slot) { return const_cast<std::byte*>(std::as_const(*this).row(slot)); }
  const std::byte* row(Slot slot) const {
    if (slot < stored_size_) return std::as_const(*stored_).data() + slot * row_bytes();
    const auto [chunk, offset] = geometry_.place(slot - stored_size_);
    return chunks_[chunk].data + offset * row_bytes();
  }
  // How many rows follow each other in memory from this one on, itself included.
  size_t run(Slot slot) const {
    if (slot < stored_size_) return stored_size_ - slot;
    const auto [chunk, offset] = geometry_.place(slot - stored_size_);
    return std::min(geometry_.size(chunk) - offset, size_ - slot);
  }

  // Throws CorruptSnapshot if the rows cannot be used. O(1) except once.
  void check(Slot first, size_t count = 1) const {
    if (first < stored_size_) stored_->check(first, std::min(count, stored_size_ - first));
  }
  // Erases a row, or what is there of one that is damaged.
  void erase(Slot slot) noexcept {
    if (slot < stored_size_) stored_->prepare_write(slot);
    std::fill_n(row(slot), row_bytes_, std::byte{0});
  }

  // A copy that shares the memory of the rows.
  RowStore pin() const { return *this; }

  size_t bytes() const {
    size_t total = (stored_ ? stored_->heap_bytes() : 0) + chunks_.capacity() * sizeof(Chunk);
    for (const Chunk& chunk : chunks_) total += kChunkBytes + chunk.memory->bytes();
    return total + (spare_ ? spare_->bytes() : 0);
  }
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  struct Chunk {
    std::byte* data;  // of the memory, so that a look-up does not go through it
    ChunkMemory memory;
  };

  static constexpr size_t kChunkBytes = 48;  // of the buffer's own, shared, with what malloc adds

  bool has_few_left() const { return size_ - stored_size_ + kFewLeft > geometry_.capacity(chunks_.size()); }

  // Another chunk, or the last one as it should be. If that throws, nothing has changed.
  void make_room() {
    if (room_ - stored_size_ < geometry_.capacity(chunks_.size())) return complete_last();
    const size_t whole = geometry_.size(chunks_.size());
    const size_t coming = expected_ - std::min(expected_, room_);
    const bool fitted = coming > 0 && coming < whole && whole * row_bytes() <= RowChunks::kSoonMoved;
    const size_t rows = fitted ? coming : whole;
    auto memory = spare_ ? std::move(spare_) : std::make_shared<AlignedBuffer<std::byte>>(rows * row_bytes());
    std::byte* const data = memory->data();
    chunks_.push_back({data, std::move(memory)});
    room_ += rows;
  }
  void complete_last() {
    Chunk& last = chunks_.back();
    auto memory = std::make_shared<AlignedBuffer<std::byte>>(geometry_.size(chunks_.size() - 1) * row_bytes());
    std::copy_n(last.data, last.memory->size(), memory->data());
    last = {memory->data(), std::move(memory)};
    room_ = stored_size_ + geometry_.capacity(chunks_.size());
  }

  uint32_t row_bytes_;
  RowChunks geometry_;
  size_t size_ = 0;
  size_t room_ = 0;
  size_t expected_ = 0;
  size_t stored_size_ = 0;
  std::shared_ptr<StoredRows> stored_;  // null: none
  std::vector<Chunk> chunks_;  // of the rows behind
  ChunkMemory spare_;          // of the next large chunk; null: none
};

}  // namespace memspan
