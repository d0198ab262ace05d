#include "lexical/posting_block.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace memspan {
namespace {

constexpr std::array<uint16_t, 26> kCapacities = {3,   6,   8,   11,  14,  16,  22,  27,  35,   46,   59,   75,   96,
                                                  123, 158, 200, 256, 328, 419, 512, 656, 840, 1074, 1376, 1760, 2048};
static_assert(kCapacities.back() == PostingBlock::kMost);

constexpr std::array<uint16_t, PostingBlock::kMost + 1> kCapacityOf = [] {
  std::array<uint16_t, PostingBlock::kMost + 1> capacity_of = {};
  size_t next = 0;
  for (size_t size = 0; size <= PostingBlock::kMost; ++size) {
    if (size > kCapacities[next]) ++next;
    capacity_of[size] = kCapacities[next];
  }
  return capacity_of;
}();

size_t bytes_of(size_t capacity) { return sizeof(PostingBlock) + capacity * sizeof(Posting); }

}  // namespace

PostingBlock* PostingBlock::make(std::span<const Posting> postings) {
  auto* const block = static_cast<PostingBlock*>(std::malloc(bytes_of(kCapacityOf[postings.size()])));
  if (block == nullptr) throw std::bad_alloc();
  block->size = static_cast<uint16_t>(postings.size());
  block->max_frequency = 0;
  for (size_t i = 0; i < postings.size(); ++i) {
    block->begin()[i] = postings[i];
    block->max_frequency = std::max(block->max_frequency, static_cast<uint16_t>(postings[i].frequency()));
  }
  return block;
}

void PostingBlock::free(PostingBlock* block) { std::free(block); }

PostingBlock* PostingBlock::insert(PostingBlock* block, Posting posting) {
  const size_t size = block->size;
  if (kCapacityOf[size + 1] != kCapacityOf[size]) {
    void* const moved = std::realloc(block, bytes_of(kCapacityOf[size + 1]));
    if (moved == nullptr) throw std::bad_alloc();
    block = static_cast<PostingBlock*>(moved);
  }
  Posting* const postings = block->begin();
  const size_t position = block->last() < posting.slot() ? size : block->lower_bound(posting.slot());
  std::memmove(postings + position + 1, postings + position, (size - position) * sizeof(Posting));
  postings[position] = posting;
  ++block->size;
  block->max_frequency = std::max(block->max_frequency, static_cast<uint16_t>(posting.frequency()));
  return block;
}

PostingBlock* PostingBlock::erase(PostingBlock* block, size_t position) {
  Posting* const postings = block->begin();
  const size_t size = block->size - size_t{1};
  std::memmove(postings + position, postings + position + 1, (size - position) * sizeof(Posting));
  return truncate(block, size);
}

void PostingBlock::erase_in_place(PostingBlock* block, size_t position) {
  Posting* const postings = block->begin();
  --block->size;
  std::memmove(postings + position, postings + position + 1, (block->size - position) * sizeof(Posting));
}

PostingBlock* PostingBlock::truncate(PostingBlock* block, size_t size) {
  const size_t old_size = std::exchange(block->size, static_cast<uint16_t>(size));
  if (kCapacityOf[size] == kCapacityOf[old_size]) return block;
  // A block that could not shrink is larger than its size tells, which harms nothing.
  void* const moved = std::realloc(block, bytes_of(kCapacityOf[size]));
  return moved == nullptr ? block : static_cast<PostingBlock*>(moved);
}

PostingBlock* PostingBlock::append(PostingBlock* block, const PostingBlock* more) {
  const size_t old_size = block->size;
  const size_t size = old_size + more->size;
  void* const moved = std::realloc(block, bytes_of(kCapacityOf[size]));
  if (moved == nullptr) return nullptr;
  block = static_cast<PostingBlock*>(moved);
  std::memcpy(block->begin() + old_size, more->begin(), more->size * sizeof(Posting));
  block->size = static_cast<uint16_t>(size);
  block->max_frequency = std::max(block->max_frequency, more->max_frequency);
  return block;
}

size_t PostingBlock::lower_bound(Slot slot) const {
  const Posting* const first = begin();
  const auto place = std::lower_bound(first, first + size, slot,
                                      [](const Posting& posting, Slot wanted) { return posting.slot() < wanted; });
  return static_cast<size_t>(place - first);
}

size_t PostingBlock::bytes() const { return bytes_of(kCapacityOf[size]); }

}  // namespace memspan
