#include "lexical/posting_list.hpp"

namespace memspan {
namespace {

constexpr size_t kAlignment = 4;  // two bits of a pointer are free

constexpr size_t image_bytes_of_block(size_t count) {
  return (sizeof(PostingBlock) + count * sizeof(Posting) + kAlignment - 1) / kAlignment * kAlignment;
}
static_assert(image_bytes_of_block(PostingBlock::kMost) == sizeof(PostingBlock) + PostingBlock::kMost * sizeof(Posting));

}  // namespace

size_t PostingList::image_bytes(size_t count) {
  const size_t full = count / PostingBlock::kMost;
  const size_t rest = count % PostingBlock::kMost;
  return full * image_bytes_of_block(PostingBlock::kMost) + (rest > 0 ? image_bytes_of_block(rest) : 0);
}

void PostingList::write_image(std::span<const Posting> postings, std::string& out) {
  while (!postings.empty()) {
    const std::span<const Posting> block = postings.first(std::min(postings.size(), PostingBlock::kMost));
    PostingBlock header{static_cast<uint16_t>(block.size()), 0};
    for (const Posting& posting : block) {
      header.max_frequency = std::max(header.max_frequency, static_cast<uint16_t>(posting.frequency()));
    }
    const size_t start = out.size();
    out.append(reinterpret_cast<const char*>(&header), sizeof header);
    out.append(reinterpret_cast<const char*>(block.data()), block.size_bytes());
    out.resize(start + image_bytes_of_block(block.size()));
    postings = postings.subspan(block.size());
  }
}

void PostingList::use_image(std::byte* image, size_t count, uint32_t max_frequency, std::span<const Slot> lasts) {
  if (lasts.size() == 1) return set_block(reinterpret_cast<PostingBlock*>(image), true);
  auto* const list = new Directory;
  set_word(reinterpret_cast<uint64_t>(list) | kDirectory);
  list->size = count;
  list->max_frequency = max_frequency;
  list->pieces.reserve(lasts.size());
  for (const Slot last : lasts) {
    const size_t before = list->pieces.size() * PostingBlock::kMost;
    const auto size = static_cast<uint16_t>(std::min(count - before, PostingBlock::kMost));
    list->pieces.push_back({reinterpret_cast<PostingBlock*>(image), last, size, true});
    image += image_bytes_of_block(PostingBlock::kMost);
  }
}

bool PostingList::is_sound_image(size_t count, size_t slots, uint32_t longest) const {
  const size_t pieces = is(kDirectory) ? directory().pieces.size() : 1;
  size_t left = count;
  uint64_t next = 0;  // the least slot that may come
  for (size_t i = 0; i < pieces; ++i) {
    const PostingBlock& block = is(kDirectory) ? *directory().pieces[i].block : *only_block();
    if (block.size != std::min(left, PostingBlock::kMost)) return false;
    left -= block.size;
    for (const Posting& posting : block.postings()) {
      if (posting.slot() < next || posting.frequency() == 0 || posting.frequency() > block.max_frequency) return false;
      if (posting.has_length() && posting.length() > longest) return false;
      next = uint64_t{posting.slot()} + 1;
    }
    if (!is(kDirectory)) continue;
    if (directory().pieces[i].last != block.last() || directory().max_frequency < block.max_frequency) return false;
  }
  return left == 0 && next <= slots;
}

}  // namespace memspan
