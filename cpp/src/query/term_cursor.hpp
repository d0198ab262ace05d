// A term of a query, and how far its inverted list has been read.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/prefetch.hpp"
#include "query/bm25.hpp"

namespace memspan {

// Valid while the user's lock is held.
class TermCursor {
 public:
  TermCursor(const WordStatistics& statistics, TermId term)
      : list_(&statistics.lexical().list(term)),
        term_(term),
        size_(list_->size()),
        records_(statistics.records(term)),
        blocks_(list_->blocks()),
        max_frequency_(list_->max_frequency()) {}

  // The cursor of the postings behind the list's (departures.hpp). A record is in one of both, and it is the one that
  // comes last which says how much the term can add.
  TermCursor split_off_tail(const LexicalIndex& lexical) {
    TermCursor tail = *this;
    tail.list_ = &lexical.tail(term_);
    tail.size_ = tail.list_->size();
    tail.blocks_ = tail.list_->blocks();
    tail.max_frequency_ = std::max(max_frequency_, tail.list_->max_frequency());
    tail.is_tail_ = true;
    max_frequency_ = 0;
    return tail;
  }

  TermId term() const { return term_; }
  size_t size() const { return size_; }        // postings
  size_t records() const { return records_; }  // of those, what the statistics count
  void set_weight(const Bm25& bm25) { weight_ = bm25.weight(records_); }
  float weight() const { return weight_; }
  // What a posting of frequency 1 in a record of average length adds.
  float usual(const Bm25& bm25) const { return weight_ * bm25.usual(); }
  // No posting adds more than that.
  float most(const Bm25& bm25) const { return weight_ * bm25.most(max_frequency_); }
  // The place of the term among the query's different ones.
  uint32_t word() const { return word_; }
  void set_word(uint32_t word) { word_ = word; }
  bool is_tail() const { return is_tail_; }

  // Goes to the first posting at or behind the slot.
  void seek(Slot slot) {
    block_ = list_->find_block(slot);
    open_block();
    if (next_ == end_) return;
    next_ = first_behind(next_, end_, slot);
  }
  // The same, if that is ahead.
  void advance(Slot slot) {
    if (!done() && next_->slot() < slot) seek(slot);
  }
  bool done() const { return next_ == end_; }
  Slot slot() const { return next_->slot(); }

  // Adds what the postings up to the slot `last` contribute to scores[slot - first], and moves behind them; returns how
  // many they are.
  size_t add_to(float* scores, Slot first, Slot last, const LexicalIndex& lexical, const Bm25& bm25) {
    size_t count = 0;
    while (!done() && slot() <= last) {
      const Posting* const stop = add_run(scores, first, last, lexical, bm25);
      count += static_cast<size_t>(stop - next_);
      move_to(stop);
    }
    return count;
  }

  // The same of those that are admitted, few of many.
  template <typename Admits>
  void add_few_to(float* scores, Slot first, Slot last, const LexicalIndex& lexical, const Bm25& bm25, Admits admits) {
    while (!done() && slot() <= last) {
      const Posting* posting = next_;
      for (; posting != end_ && posting->slot() <= last; ++posting) {
        if (admits(posting->slot())) scores[posting->slot() - first] += weight_ * part_of(*posting, lexical, bm25);
      }
      move_to(posting);
    }
  }

  // Asks for the memory where the slot's posting may be.
  void prefetch(Slot slot) const {
    const size_t block = done() || (end_ - 1)->slot() >= slot ? block_ : list_->find_block(slot);
    if (block >= blocks_) return;
    if (block == block_ && !done()) {
      if (next_->slot() < slot) prefetch_line(PostingBlock::guess(next_, end_ - 1, slot));
    } else {
      list_->prefetch(block, slot);
    }
  }
  // Adds to `score` what the slot's posting contributes, if there is one. Slots must ascend from call to call.
  void add_one(float& score, Slot slot, const LexicalIndex& lexical, const Bm25& bm25) {
    if (done()) return;
    if ((end_ - 1)->slot() < slot) {
      block_ = list_->find_block(slot);
      open_block();
      if (done()) return;
    }
    next_ = PostingBlock::find_near(next_, end_ - 1, slot);
    if (next_->slot() == slot) score += weight_ * part_of(*next_, lexical, bm25);
  }

  // Calls visit(slot, what it adds) for each posting, and moves behind the last.
  template <typename Visit>
  void visit_parts(const LexicalIndex& lexical, const Bm25& bm25, Visit visit) {
    for (; !done(); move_to(next_ + 1)) {
      visit(slot(), weight_ * part_of(*next_, lexical, bm25));
    }
  }
  // What the slot's posting adds, 0 if there is none. Slots must ascend from call to call; for such as lie together.
  float part_at(Slot slot, const LexicalIndex& lexical, const Bm25& bm25) {
    constexpr int kSteps = 8;
    for (int step = 0; step < kSteps; ++step) {
      if (done() || this->slot() > slot) return 0.0f;
      if (this->slot() == slot) return weight_ * part_of(*next_, lexical, bm25);
      move_to(next_ + 1);
    }
    float score = 0.0f;
    add_one(score, slot, lexical, bm25);
    return score;
  }

  // Calls visit(slot) for each posting up to the slot `last`, and moves behind them.
  template <typename Visit>
  void read_to(Slot last, Visit visit) {
    while (!done() && slot() <= last) {
      visit(slot());
      move_to(next_ + 1);
    }
  }

 private:
  static const Posting* first_behind(const Posting* first, const Posting* end, Slot slot) {
    return std::lower_bound(first, end, slot,
                            [](const Posting& posting, Slot wanted) { return posting.slot() < wanted; });
  }

  float part_of(const Posting& posting, const LexicalIndex& lexical, const Bm25& bm25) const {
    const uint32_t code = posting.code();
    return code < bm25.limit() ? bm25.table()[code] : bm25.compute(lexical, term_, posting);
  }

  // The innermost loop. A function of its own, so that the compiler keeps in registers what it needs.
  [[gnu::noinline]] const Posting* add_run(float* scores, Slot first, Slot last, const LexicalIndex& lexical,
                                           const Bm25& bm25) const {
    const float weight = weight_;
    const uint32_t limit = bm25.limit();
    const float* const table = bm25.table();
    const Posting* posting = next_;
    for (const Posting* const end = end_; posting != end; ++posting) {
      const Slot slot = posting->slot();
      if (slot > last) break;
      const uint32_t code = posting->code();
      const float part = code < limit ? table[code] : bm25.compute(lexical, term_, *posting);
      scores[slot - first] += weight * part;
    }
    return posting;
  }

  void move_to(const Posting* posting) {
    next_ = posting;
    if (next_ != end_) return;
    ++block_;
    open_block();
  }
  void open_block() {
    if (block_ >= blocks_) {
      next_ = end_ = nullptr;
      return;
    }
    const std::span<const Posting> postings = list_->block(block_);
    next_ = postings.data();
    end_ = next_ + postings.size();
    if (block_ + 1 < blocks_) list_->prefetch(block_ + 1);
  }

  const PostingList* list_;
  TermId term_;
  float weight_ = 0.0f;
  size_t size_;
  size_t records_;
  size_t blocks_;
  uint32_t max_frequency_;
  uint32_t word_ = 0;
  bool is_tail_ = false;
  size_t block_ = 0;
  const Posting* next_ = nullptr;
  const Posting* end_ = nullptr;
};

}  // namespace memspan
