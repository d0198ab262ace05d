#include "lexical/posting_list.hpp"

#include <memory>

namespace memspan {

static_assert(sizeof(void*) <= sizeof(uint64_t) && alignof(std::max_align_t) >= 4, "two bits of a pointer are free");

size_t PostingList::size() const {
  if (empty()) return 0;
  if (is(kSingle)) return 1;
  return is_one_block() ? only_block()->size : directory().size;
}

uint32_t PostingList::max_frequency() const {
  if (empty()) return 0;
  if (is(kSingle)) return single().frequency();
  return is_one_block() ? only_block()->max_frequency : directory().max_frequency;
}

size_t PostingList::blocks() const {
  if (empty()) return 0;
  return is(kDirectory) ? directory().pieces.size() : 1;
}

std::span<const Posting> PostingList::block(size_t i) const {
  if (is(kSingle)) return {&single(), 1};
  return is_one_block() ? only_block()->postings() : directory().pieces[i].block->postings();
}

size_t PostingList::find_piece(const Directory& list, Slot slot) {
  const auto piece = std::lower_bound(list.pieces.begin(), list.pieces.end(), slot,
                                      [](const Piece& each, Slot wanted) { return each.last < wanted; });
  return static_cast<size_t>(piece - list.pieces.begin());
}

size_t PostingList::find_in_piece(const Directory& list, size_t i, Slot slot) {
  const PostingBlock& block = *list.pieces[i].block;
  const Posting* const final = block.begin() + block.size - 1;
  return static_cast<size_t>(PostingBlock::find_near(block.begin(), guess_in_piece(list, i, slot), final, slot) - block.begin());
}

// After its block has changed.
void PostingList::renew(Piece& piece) {
  piece.last = piece.block->last();
  piece.size = piece.block->size;
}

size_t PostingList::find_block(Slot slot) const {
  if (empty()) return 0;
  if (is(kDirectory)) return find_piece(directory(), slot);
  return block(0).back().slot() < slot ? 1 : 0;
}

void PostingList::insert(Posting posting, size_t piece) {
  if (empty()) return set_single(posting);
  if (is(kSingle)) {
    const Posting old = single();
    const Posting both[] = {old.slot() < posting.slot() ? old : posting, old.slot() < posting.slot() ? posting : old};
    return set_block(PostingBlock::make(both));
  }
  if (is(kStored)) set_block(PostingBlock::make(only_block()->postings()));
  if (is(kBlock)) {
    PostingBlock* const block = only_block();
    if (block->size < PostingBlock::kMost) return set_block(PostingBlock::insert(block, posting));
    auto* const list = new Directory{{Piece{block, block->last(), block->size}}, block->size, block->max_frequency};
    set_word(reinterpret_cast<uint64_t>(list) | kDirectory);
    piece = kUnknown;
  }
  insert_in_directory(posting, piece);
}

bool PostingList::overwrite(Posting posting, size_t piece) {
  if (empty()) return false;
  if (is(kSingle)) {
    if (single().slot() != posting.slot()) return false;
    set_single(posting);
    return true;
  }
  PostingBlock* block = only_block();
  size_t position = 0;
  if (is(kDirectory)) {
    Directory& list = directory();
    if (piece == kUnknown) piece = find_piece(list, posting.slot());
    if (piece == list.pieces.size()) return false;
    block = list.pieces[piece].block;
    position = find_in_piece(list, piece, posting.slot());
    if (block->begin()[position].slot() != posting.slot()) return false;
    list.max_frequency = std::max(list.max_frequency, posting.frequency());
  } else {
    position = block->find(posting.slot());
    if (position == block->size) return false;
  }
  block->begin()[position] = posting;
  block->max_frequency = std::max(block->max_frequency, static_cast<uint16_t>(posting.frequency()));
  return true;
}

void PostingList::own(Piece& piece) {
  if (!piece.stored) return;
  piece.block = PostingBlock::make(piece.block->postings());
  piece.stored = false;
}

void PostingList::insert_in_directory(Posting posting, size_t piece) {
  Directory& list = directory();
  std::vector<Piece>& pieces = list.pieces;
  if (pieces.size() == pieces.capacity()) pieces.reserve(pieces.size() + pieces.size() / 4 + 3);
  const size_t i = std::min(piece == kUnknown ? find_piece(list, posting.slot()) : piece, pieces.size() - 1);
  PostingBlock*& block = pieces[i].block;
  const bool inside = posting.slot() <= pieces[i].last;
  const size_t position = inside ? find_in_piece(list, i, posting.slot()) : block->size;
  const auto next = pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1;
  const bool full = block->size == PostingBlock::kMost;
  if (!full || posting.slot() < pieces[i].last) own(pieces[i]);
  if (!full) {
    block = PostingBlock::insert(block, posting, position);
    renew(pieces[i]);
  } else if (pieces[i].last < posting.slot()) {  // behind everything
    pieces.insert(next, Piece{PostingBlock::make({&posting, 1}), posting.slot(), 1});
  } else {
    constexpr size_t kHalf = PostingBlock::kMost / 2;
    PostingBlock* const back = PostingBlock::make(block->postings().subspan(kHalf));
    block = PostingBlock::truncate(block, kHalf);
    renew(pieces[i]);
    pieces.insert(next, Piece{back, back->last(), back->size});
    return insert_in_directory(posting, kUnknown);
  }
  ++list.size;
  list.max_frequency = std::max(list.max_frequency, posting.frequency());
}

bool PostingList::erase(Slot slot) {
  if (empty()) return false;
  if (is(kSingle)) {
    if (single().slot() != slot) return false;
    set_word(0);
    return true;
  }
  if (is(kDirectory)) return erase_in_directory(slot);
  PostingBlock* const block = only_block();
  const size_t position = block->find(slot);
  if (position == block->size) return false;
  if (block->size > 2) {
    if (is(kStored)) {
      PostingBlock::erase_in_place(block, position);
    } else {
      set_block(PostingBlock::erase(block, position));
    }
    return true;
  }
  const Posting left = block->begin()[1 - position];
  if (is(kBlock)) PostingBlock::free(block);
  set_single(left);
  return true;
}

bool PostingList::erase_in_directory(Slot slot) {
  Directory& list = directory();
  const size_t i = find_piece(list, slot);
  if (i == list.pieces.size()) return false;
  Piece& piece = list.pieces[i];
  const size_t position = find_in_piece(list, i, slot);
  if (piece.block->begin()[position].slot() != slot) return false;
  if (piece.size == 1) {
    drop_piece(i);
    return true;
  }
  --list.size;
  if (piece.stored) {
    PostingBlock::erase_in_place(piece.block, position);
  } else {
    piece.block = PostingBlock::erase(piece.block, position);
  }
  renew(piece);
  if (list.pieces.size() > 1) merge_if_small(list, std::min(i, list.pieces.size() - 2));
  collapse();
  return true;
}

void PostingList::replace(size_t i, std::span<const Posting> postings) {
  if (!is(kDirectory) && postings.size() <= 1) {
    clear();
    if (!postings.empty()) set_single(postings.front());
    return;
  }
  if (!is(kDirectory) && postings.size() <= PostingBlock::kMost) {
    if (is(kBlock)) return set_block(PostingBlock::assign(only_block(), postings));
    return set_block(PostingBlock::make(postings));
  }
  if (is(kDirectory) && postings.empty()) return drop_piece(i);
  if (is(kDirectory) && postings.size() <= PostingBlock::kMost) {
    Directory& list = directory();
    Piece& piece = list.pieces[i];
    list.size = list.size - piece.size + postings.size();
    piece.block = piece.stored ? PostingBlock::make(postings) : PostingBlock::assign(piece.block, postings);
    piece.stored = false;
    renew(piece);
    list.max_frequency = std::max<uint32_t>(list.max_frequency, piece.block->max_frequency);
    if (list.pieces.size() > 1) merge_if_small(list, std::min(i, list.pieces.size() - 2));
    return collapse();
  }
  // More than one block holds: all that takes memory comes first.
  Directory parts;
  try {
    const size_t blocks = (postings.size() + PostingBlock::kMost - 1) / PostingBlock::kMost;
    parts.pieces.reserve(blocks);
    for (size_t left = blocks; left > 0; --left) {
      const std::span<const Posting> part = postings.first(postings.size() / left);
      parts.pieces.push_back({PostingBlock::make(part), part.back().slot(), static_cast<uint16_t>(part.size())});
      parts.size += part.size();
      parts.max_frequency = std::max<uint32_t>(parts.max_frequency, parts.pieces.back().block->max_frequency);
      postings = postings.subspan(part.size());
    }
    if (is(kDirectory)) {
      Directory& list = directory();
      list.pieces.reserve(list.pieces.size() + blocks);
      Piece& old = list.pieces[i];
      if (!old.stored) PostingBlock::free(old.block);
      list.size = list.size - old.size + parts.size;
      list.max_frequency = std::max(list.max_frequency, parts.max_frequency);
      old = parts.pieces.front();
      list.pieces.insert(list.pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, parts.pieces.begin() + 1, parts.pieces.end());
    } else {
      auto* const list = new Directory(std::move(parts));
      clear();
      set_word(reinterpret_cast<uint64_t>(list) | kDirectory);
    }
  } catch (const std::bad_alloc&) {
    for (const Piece& piece : parts.pieces) PostingBlock::free(piece.block);
    throw;
  }
}

// Of a directory.
void PostingList::drop_piece(size_t i) {
  Directory& list = directory();
  const Piece& piece = list.pieces[i];
  list.size -= piece.size;
  if (!piece.stored) PostingBlock::free(piece.block);
  list.pieces.erase(list.pieces.begin() + static_cast<std::ptrdiff_t>(i));
  collapse();
}

// Puts what is left of a directory of one piece or none into as little as it needs.
void PostingList::collapse() {
  Directory& list = directory();
  if (list.pieces.size() > 1) return;
  const Piece only = list.pieces.empty() ? Piece{nullptr, 0, 0} : list.pieces[0];
  delete &list;
  if (only.block == nullptr) {
    set_word(0);
  } else if (only.size > 1) {
    set_block(only.block, only.stored);
  } else {
    set_single(only.block->begin()[0]);
    if (!only.stored) PostingBlock::free(only.block);
  }
}

// Puts two neighbours together that have become small, so that a list that shrinks gives its memory back.
void PostingList::merge_if_small(Directory& list, size_t i) {
  Piece& piece = list.pieces[i];
  const auto next = list.pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1;
  if (piece.stored || size_t{piece.block->size} + next->block->size > PostingBlock::kMost / 2) return;
  PostingBlock* const merged = PostingBlock::append(piece.block, next->block);
  if (merged == nullptr) return;
  if (!next->stored) PostingBlock::free(next->block);
  piece = {merged, next->last, merged->size};
  list.pieces.erase(next);
}

void PostingList::truncate(Slot first) {
  while (is(kDirectory) && directory().pieces.back().block->begin()->slot() >= first) drop_piece(directory().pieces.size() - 1);
  if (empty()) return;
  if (is(kSingle)) {
    if (single().slot() >= first) set_word(0);
    return;
  }
  PostingBlock* const block = is(kDirectory) ? directory().pieces.back().block : only_block();
  const size_t left = block->lower_bound(first);
  if (left == block->size) return;
  if (is(kDirectory)) {
    Directory& list = directory();
    Piece& last = list.pieces.back();
    list.size -= block->size - left;
    shorten(last.block, last.stored, left);
    renew(last);
    merge_if_small(list, list.pieces.size() - 2);
    return collapse();
  }
  if (left > 1) {
    PostingBlock* shorter = block;
    shorten(shorter, is(kStored), left);
    return set_block(shorter, is(kStored));
  }
  const Posting only = block->begin()[0];
  if (is(kBlock)) PostingBlock::free(block);
  left == 1 ? set_single(only) : set_word(0);
}

// Drops all but the first `size` > 0 postings of a block, which stays where it is in a snapshot.
void PostingList::shorten(PostingBlock*& block, bool stored, size_t size) {
  if (stored) {
    block->size = static_cast<uint16_t>(size);
  } else {
    block = PostingBlock::truncate(block, size);
  }
}

void PostingList::clear() {
  if (is(kBlock)) {
    PostingBlock::free(only_block());
  } else if (is(kDirectory)) {
    for (const Piece& piece : directory().pieces) {
      if (!piece.stored) PostingBlock::free(piece.block);
    }
    delete &directory();
  }
  set_word(0);
}

size_t PostingList::bytes() const {
  if (empty() || is(kSingle) || is(kStored)) return 0;
  if (is(kBlock)) return only_block()->bytes();
  size_t total = sizeof(Directory) + directory().pieces.capacity() * sizeof(Piece);
  for (const Piece& piece : directory().pieces) total += piece.stored ? 0 : piece.block->bytes();
  return total;
}

}  // namespace memspan
