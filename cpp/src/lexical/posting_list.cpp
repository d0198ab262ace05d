#include "lexical/posting_list.hpp"

#include <memory>

namespace memspan {
namespace {

// Of so many gaps in a block of `size`.
bool worth_a_sweep(size_t gaps, size_t size) { return gaps * 4 > size; }

}  // namespace

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
    auto* const list = new Directory{{Piece{block, block->last(), block->size}}, block->size, 0, block->max_frequency};
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
    const Posting& found = block->begin()[position];
    if (found.slot() != posting.slot() || found.is_gap()) return false;
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
  size_t position = inside ? find_in_piece(list, i, posting.slot()) : block->size;
  if (inside && pieces[i].gaps > 0) {
    // The gap of the slot itself, or another one where there are so many that one is near.
    constexpr size_t kReach = 64;
    const bool many = size_t{pieces[i].gaps} * 2 * kReach >= block->size;
    const bool own_gap = block->begin()[position].slot() == posting.slot();
    if ((many || own_gap) && block->fill_gap(posting, position, own_gap ? 1 : kReach)) {
      pieces[i].last = block->last();
      --pieces[i].gaps;
      --list.gaps;
      ++list.size;
      list.max_frequency = std::max(list.max_frequency, posting.frequency());
      return;
    }
    if (block->size == PostingBlock::kMost) {
      sweep_piece(list, pieces[i]);
      position = block->lower_bound(posting.slot());
    }
  }
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

void PostingList::erase(Slot slot) {
  if (empty()) return;
  if (is(kSingle)) {
    if (single().slot() == slot) set_word(0);
    return;
  }
  if (is(kDirectory)) return erase_in_directory(slot);
  PostingBlock* const block = only_block();
  const size_t position = block->find(slot);
  if (position == block->size) return;
  if (block->size > 2) {
    if (is(kStored)) return PostingBlock::erase_in_place(block, position);
    return set_block(PostingBlock::erase(block, position));
  }
  const Posting left = block->begin()[1 - position];
  if (is(kBlock)) PostingBlock::free(block);
  set_single(left);
}

void PostingList::erase_in_directory(Slot slot) {
  Directory& list = directory();
  const size_t i = find_piece(list, slot);
  if (i == list.pieces.size()) return;
  Piece& piece = list.pieces[i];
  const size_t position = find_in_piece(list, i, slot);
  const Posting& found = piece.block->begin()[position];
  if (found.slot() != slot || found.is_gap()) return;
  --list.size;
  if (piece.postings() > 1) {
    if (piece.stored) {
      PostingBlock::erase_in_place(piece.block, position);
    } else {
      piece.block = PostingBlock::erase(piece.block, position);
    }
    renew(piece);
  } else {
    piece.block->begin()[position].make_gap();
    ++piece.gaps, ++list.gaps;
  }
  // One piece alone stays what it is until it is small: the next gap would make its directory again.
  constexpr size_t kFew = 32;
  const bool alone = list.pieces.size() == 1 && piece.size > kFew;
  if (worth_a_sweep(piece.gaps, piece.size) || (piece.gaps == 0 && !alone)) shrink(i);
}

void PostingList::leave_gap(Slot slot, size_t piece_of_slot) {
  constexpr size_t kFew = 64;
  if (!is(kDirectory) && (size() <= kFew || !make_directory())) return erase(slot);
  Directory& list = directory();
  const size_t i = piece_of_slot == kUnknown ? find_piece(list, slot) : piece_of_slot;
  if (i == list.pieces.size()) return;
  Piece& piece = list.pieces[i];
  const size_t position = find_in_piece(list, i, slot);
  const Posting& found = piece.block->begin()[position];
  if (found.slot() != slot || found.is_gap()) return;
  --list.size;
  piece.block->begin()[position].make_gap();
  ++piece.gaps, ++list.gaps;
  if (worth_a_sweep(piece.gaps, piece.size)) shrink(i);
}

void PostingList::sweep() {
  if (!has_gaps()) return;
  for (size_t i = directory().pieces.size(); i-- > 0 && is(kDirectory);) {
    if (i < directory().pieces.size() && directory().pieces[i].gaps > 0) shrink(i);
  }
}

// Of one block. False, and nothing changed, if there is no memory.
bool PostingList::make_directory() {
  PostingBlock* const block = only_block();
  try {
    auto list = std::make_unique<Directory>();
    list->pieces.push_back({block, block->last(), block->size, is(kStored)});
    list->size = block->size;
    list->max_frequency = block->max_frequency;
    set_word(reinterpret_cast<uint64_t>(list.release()) | kDirectory);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Something else must be in the piece.
void PostingList::sweep_piece(Directory& list, Piece& piece) {
  piece.block = PostingBlock::sweep(piece.block, piece.stored);
  list.gaps -= piece.gaps;
  piece.gaps = 0;
  renew(piece);
}

// After a posting has left a piece: sweeps that, and puts what is small into as little as it needs.
void PostingList::shrink(size_t i) {
  Directory& list = directory();
  std::vector<Piece>& pieces = list.pieces;
  if (pieces[i].postings() == 0) {
    list.gaps -= pieces[i].gaps;
    if (!pieces[i].stored) PostingBlock::free(pieces[i].block);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
  } else if (pieces[i].gaps > 0) {
    sweep_piece(list, pieces[i]);
  }
  if (pieces.size() > 1) return merge_if_small(list, std::min(i, pieces.size() - 2));
  if (!pieces.empty() && pieces[0].gaps > 0) sweep_piece(list, pieces[0]);
  const Piece only = pieces.empty() ? Piece{nullptr, 0, 0} : pieces[0];
  delete &list;
  if (only.block == nullptr) {
    set_word(0);
  } else if (only.block->size > 1) {
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
  const unsigned gaps = piece.gaps + next->gaps;
  piece = {merged, next->last, merged->size, false, static_cast<uint16_t>(gaps & 0x7FFF)};
  list.pieces.erase(next);
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
