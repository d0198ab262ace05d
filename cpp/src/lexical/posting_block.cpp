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

PostingBlock* PostingBlock::insert(PostingBlock* block, Posting posting, size_t position) {
  const size_t size = block->size;
  if (kCapacityOf[size + 1] != kCapacityOf[size]) {
    void* const moved = std::realloc(block, bytes_of(kCapacityOf[size + 1]));
    if (moved == nullptr) throw std::bad_alloc();
    block = static_cast<PostingBlock*>(moved);
  }
  Posting* const postings = block->begin();
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

PostingBlock* PostingBlock::assign(PostingBlock* block, std::span<const Posting> postings) {
  if (kCapacityOf[postings.size()] != kCapacityOf[block->size]) {
    PostingBlock* const other = make(postings);
    free(block);
    return other;
  }
  block->size = static_cast<uint16_t>(postings.size());
  uint32_t most = block->max_frequency;
  for (const Posting& each : postings) most = std::max(most, each.frequency());
  block->max_frequency = static_cast<uint16_t>(most);
  std::memcpy(block->begin(), postings.data(), postings.size_bytes());
  return block;
}

const Posting* PostingBlock::find_near(const Posting* low, const Posting* high, Slot slot) {
  if (low->slot() >= slot) return low;
  return find_near(low, guess(low, high, slot), high, slot);
}

const Posting* PostingBlock::find_near(const Posting* low, const Posting* near, const Posting* high, Slot slot) {
  if (near->slot() < slot) {
    low = near + 1;
    for (std::ptrdiff_t step = 8; low + step < high; step *= 4) {
      if (low[step].slot() >= slot) {
        high = low + step;
        break;
      }
      low += step + 1;
    }
  } else {
    high = near;
    for (std::ptrdiff_t step = 8; high - step > low; step *= 4) {
      if (high[-step].slot() < slot) {
        low = high - step + 1;
        break;
      }
      high -= step;
    }
  }
  return std::lower_bound(low, high, slot, [](const Posting& posting, Slot wanted) { return posting.slot() < wanted; });
}

size_t PostingBlock::lower_bound(Slot slot) const {
  const Posting* const final = begin() + size - 1;
  return final->slot() < slot ? size : static_cast<size_t>(find_near(begin(), final, slot) - begin());
}

size_t PostingBlock::bytes() const { return bytes_of(kCapacityOf[size]); }

}  // namespace memspan
