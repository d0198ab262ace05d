// A column by slot most of whose entries have one and the same value: memory is taken only around the others.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: one pointer; once something was set
// another for 64 slots, and 64 entries where one of them differs from T().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "memspan/types.hpp"

namespace memspan {

template <typename T>
class SparseColumn {
 public:
  // The entry, or nullptr where none was set nearby.
  const T* find(Slot slot) const {
    const Block* const block = find_block(slot);
    return block == nullptr ? nullptr : &(*block)[slot % kBlock];
  }

  // The 64 entries of the slots from 64 * word on, or nullptr where none was set.
  const T* word(size_t word) const {
    const Block* const block = find_block(static_cast<Slot>(word * kBlock));
    return block == nullptr ? nullptr : block->data();
  }

  // If that throws, nothing has changed.
  void set(Slot slot, T value) {
    const size_t i = slot / kBlock;
    if (!blocks_) blocks_ = std::make_unique<Blocks>();
    if (i >= blocks_->size()) blocks_->resize(i + 1);
    std::unique_ptr<Block>& block = (*blocks_)[i];
    if (!block) block = std::make_unique<Block>();
    (*block)[slot % kBlock] = std::move(value);
  }
  void reset(Slot slot) {
    if (Block* const block = find_block(slot)) (*block)[slot % kBlock] = T();
  }

  // Of the blocks; not what the entries own.
  size_t bytes() const {
    if (!blocks_) return 0;
    const auto used = std::count_if(blocks_->begin(), blocks_->end(), [](const auto& block) { return block != nullptr; });
    return sizeof(Blocks) + blocks_->capacity() * sizeof(std::unique_ptr<Block>) + static_cast<size_t>(used) * sizeof(Block);
  }

 private:
  static constexpr size_t kBlock = 64;
  using Block = std::array<T, kBlock>;
  using Blocks = std::vector<std::unique_ptr<Block>>;

  // nullptr where no entry was set.
  Block* find_block(Slot slot) const {
    const size_t i = slot / kBlock;
    return blocks_ && i < blocks_->size() ? (*blocks_)[i].get() : nullptr;
  }

  std::unique_ptr<Blocks> blocks_;  // null: nothing was ever set, as for most users
};

}  // namespace memspan
