// The inverted list of one term: postings ascending by slot.
//
// Most terms of a user occur in one record, so a list is one word: nothing, a posting, a block, or a directory of
// blocks. Blocks are short, so that an insertion or removal anywhere moves at most 12 kB, however long the list is.
//
// A list of two postings or more that comes from a snapshot stays where it is there, block by block, until a block gets
// a posting more; a posting less is taken out in place. That memory is private to the process.
// Image of a list in a snapshot: its blocks of 2048 postings and one of the rest, each filled up to a multiple of 4 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "lexical/posting.hpp"
#include "lexical/posting_block.hpp"

namespace memspan {

class PostingList {
 public:
  PostingList() = default;
  PostingList(PostingList&& other) noexcept { swap(other); }
  PostingList& operator=(PostingList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PostingList() { clear(); }

  bool empty() const { return word() == 0; }
  size_t size() const;
  // Upper bound of Posting::frequency().
  uint32_t max_frequency() const;

  // The list in pieces: each is sorted, not empty and before the next. Valid until the list changes.
  size_t blocks() const;
  std::span<const Posting> block(size_t i) const;
  // Asks for the memory that an insertion at the end touches: first for the head, and when that is there for the rest.
  // Each reads what the one before has asked for.
  void prefetch_head() const {
    if (!is(kSingle)) prefetch_line(reinterpret_cast<const void*>(word() & ~kFormBits));
  }
  void prefetch_end() const {
    if (is(kDirectory)) {
      prefetch_line(&directory().pieces.back());
    } else if (is_one_block() && !empty()) {
      prefetch_line(only_block()->begin() + only_block()->size);
    }
  }
  void prefetch_last_block() const {
    if (is(kDirectory)) prefetch_line(directory().pieces.back().block);
  }
  void prefetch_last_end() const {
    if (!is(kDirectory)) return;
    const PostingBlock* const last = directory().pieces.back().block;
    prefetch_line(last->begin() + last->size);
  }
  // Asks for what a search reads first.
  void prefetch_start() const {
    constexpr size_t kLines = 12;
    if (is(kDirectory)) {
      prefetch_line(&directory());
    } else if (is_one_block()) {
      const auto* const start = reinterpret_cast<const char*>(only_block());
      for (size_t line = 0; line < kLines; ++line) prefetch_line(start + 64 * line);
    }
  }
  // Asks for the start of a piece that will be read soon.
  void prefetch(size_t i) const {
    if (!is(kDirectory)) return;
    const auto* const start = reinterpret_cast<const char*>(directory().pieces[i].block);
    for (size_t line = 0; line < 4; ++line) prefetch_line(start + 64 * line);
  }
  // Asks for where the slot may be in a piece, and for its head with `to_change`.
  void prefetch(size_t i, Slot slot, bool to_change = false) const {
    const bool whole = is_one_block();
    if (!whole && !is(kDirectory)) return;
    const auto* const near =
        reinterpret_cast<const char*>(whole ? guess_in_block(*only_block(), slot) : guess_in_piece(directory(), i, slot));
    constexpr std::ptrdiff_t kLine = 64;
    for (std::ptrdiff_t line = -2; line <= 2; ++line) prefetch_line(near + line * kLine);
    if (to_change && !whole) prefetch_line(directory().pieces[i].block);
  }
  // The first piece that ends with the given slot or a later one; blocks() if there is none. O(log size).
  size_t find_block(Slot slot) const;

  // Where in the list a change comes, from find_block of its slot: saves the change the search for it. Holds until the list
  // changes. `kUnknown`: not looked for.
  static constexpr size_t kUnknown = ~size_t{0};
  // The slot must not be there. O(log size + 2048). Throws std::bad_alloc; then nothing changed.
  void insert(Posting posting, size_t piece = kUnknown);
  // Puts the posting in the place of that of its slot; false if there is none. O(log size). Needs no memory.
  bool overwrite(Posting posting, size_t piece = kUnknown);
  // False for a slot that is not there, as a snapshot that was made up may claim. O(log size + 2048 + size / 2048). Needs
  // no memory.
  bool erase(Slot slot);
  // Puts other postings in the place of a block: sorted, behind the block before and before the one behind. How many blocks
  // they become, and whether small neighbours become one, is the list's affair: blocks before that one keep their numbers,
  // all but the one right before keep what they hold. O(postings + size / 2048). Throws std::bad_alloc; then nothing changed.
  void replace(size_t i, std::span<const Posting> postings);
  // Drops the postings from that slot on. O(log size, and what is dropped / 2048). Needs no memory.
  void truncate(Slot first);
  void clear();

  size_t bytes() const;  // on the heap, beside sizeof(PostingList)

  // Snapshots. The image of a list of `count` postings takes so many bytes.
  static size_t image_bytes(size_t count);
  static void write_image(std::span<const Posting> postings, std::string& out);
  // Makes an empty list of the image at `image`, at a multiple of 4, and of the last slot of each block. Reads nothing of the
  // image.
  void use_image(std::byte* image, size_t count, uint32_t max_frequency, std::span<const Slot> lasts);
  // Of a list that was made of one and not changed.
  const std::byte* image() const {
    return reinterpret_cast<const std::byte*>(is(kDirectory) ? directory().pieces[0].block : only_block());
  }
  // Is the image, which was not changed yet, a list of `count` postings ascending by slot, below `slots`, with frequencies and with
  // lengths up to `longest`?
  bool is_sound_image(size_t count, size_t slots, uint32_t longest) const;

 private:
  // The lowest bits of the word tell what the others are: a pointer, or from its third byte on a posting.
  enum Form : uint64_t { kBlock = 0, kSingle = 1, kDirectory = 2, kStored = 3 };  // kStored: a block of a snapshot
  static constexpr uint64_t kFormBits = 3;
  static constexpr size_t kSinglePlace = sizeof(uint64_t) - sizeof(Posting);

  struct Piece {
    PostingBlock* block;
    Slot last;
    uint16_t size;        // of the block, which is not in memory yet when a place in it is guessed
    bool stored = false;  // in a snapshot
  };
  // Of more than one piece.
  struct Directory {
    std::vector<Piece> pieces;
    size_t size = 0;
    uint32_t max_frequency = 0;
  };

  uint64_t word() const {
    uint64_t word;
    std::memcpy(&word, storage_, sizeof word);
    return word;
  }
  void set_word(uint64_t word) { std::memcpy(storage_, &word, sizeof word); }
  bool is(Form form) const { return (word() & kFormBits) == form; }
  bool is_one_block() const { return is(kBlock) || is(kStored); }

  Posting& single() { return *std::launder(reinterpret_cast<Posting*>(storage_ + kSinglePlace)); }
  const Posting& single() const { return *std::launder(reinterpret_cast<const Posting*>(storage_ + kSinglePlace)); }
  void set_single(Posting posting) {
    set_word(kSingle);
    ::new (storage_ + kSinglePlace) Posting(posting);
  }
  PostingBlock* only_block() const { return reinterpret_cast<PostingBlock*>(word() & ~kFormBits); }
  void set_block(PostingBlock* block, bool stored = false) {
    set_word(reinterpret_cast<uint64_t>(block) | (stored ? kStored : kBlock));
  }
  Directory& directory() const { return *reinterpret_cast<Directory*>(word() & ~kFormBits); }

  void swap(PostingList& other) noexcept { std::swap_ranges(storage_, storage_ + sizeof storage_, other.storage_); }
  static void own(Piece& piece);
  static size_t find_piece(const Directory& list, Slot slot);
  static const Posting* guess_in_block(const PostingBlock& block, Slot slot) {
    const Slot last = block.last();
    return last <= slot ? block.begin() + block.size - 1 : PostingBlock::guess(block.begin(), 0, block.size, last, slot);
  }
  static const Posting* guess_in_piece(const Directory& list, size_t i, Slot slot) {
    const Piece& piece = list.pieces[i];
    if (slot >= piece.last) return piece.block->begin() + piece.size - 1;
    return PostingBlock::guess(piece.block->begin(), i == 0 ? 0 : list.pieces[i - 1].last, piece.size, piece.last, slot);
  }
  // Where the slot is, or would be, in the piece, which does not end before it.
  static size_t find_in_piece(const Directory& list, size_t i, Slot slot);
  static void renew(Piece& piece);
  void insert_in_directory(Posting posting, size_t piece);
  bool erase_in_directory(Slot slot);
  void drop_piece(size_t i);
  void collapse();
  static void shorten(PostingBlock*& block, bool stored, size_t size);
  static void merge_if_small(Directory& list, size_t i);

  alignas(uint64_t) unsigned char storage_[sizeof(uint64_t)] = {};
};
static_assert(sizeof(PostingList) == 8);

}  // namespace memspan
