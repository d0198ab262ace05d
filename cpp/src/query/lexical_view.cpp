#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/top_k.hpp"
#include "query/bm25.hpp"
#include "query/views.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

// Scores are added up in windows of so many slots: the scores of a window stay in the first-level cache while the
// postings stream by, and a thread keeps no array as long as its longest user.
constexpr size_t kWindow = 4096;

// A term of the query, and how far its list has been read.
class Cursor {
 public:
  Cursor(const LexicalIndex& lexical, TermId term)
      : list_(&lexical.list(term)), term_(term), size_(list_->size()), blocks_(list_->blocks()) {}

  TermId term() const { return term_; }
  size_t size() const { return size_; }
  void set_weight(float weight) { weight_ = weight; }

  // Goes to the first posting at or behind the slot.
  void seek(Slot slot) {
    block_ = list_->find_block(slot);
    open_block();
    if (next_ == end_) return;
    next_ = first_behind(next_, end_, slot);
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
  size_t blocks_;
  size_t block_ = 0;
  const Posting* next_ = nullptr;
  const Posting* end_ = nullptr;
};

// Memory that a thread keeps between queries. Every score is zero between them.
struct Scratch {
  std::vector<Cursor> cursors;
  std::vector<Cursor> window_starts;
  Bm25 bm25;
  alignas(64) std::array<float, kWindow> scores = {};
  std::array<uint32_t, 512> selected;

  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

// The query's words that some record holds, each once. The rarest first, equals by text: every record's score is added
// up in this order, which depends on the user's records alone.
void find_terms(const LexicalIndex& lexical, const TokenBuffer& tokens, std::vector<Cursor>& cursors) {
  cursors.clear();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (const TermId term = lexical.find(tokens[i]); term != kNoTerm) cursors.emplace_back(lexical, term);
  }
  std::sort(cursors.begin(), cursors.end(), [&](const Cursor& a, const Cursor& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return a.term() != b.term() && lexical.text(a.term()) < lexical.text(b.term());
  });
  const auto same = [](const Cursor& a, const Cursor& b) { return a.term() == b.term(); };
  cursors.erase(std::unique(cursors.begin(), cursors.end(), same), cursors.end());
}

template <typename Admits>
class Search {
 public:
  Search(const LexicalIndex& lexical, Scratch& scratch, TopK& best, Admits admits)
      : lexical_(lexical), scratch_(scratch), best_(best), admits_(admits) {}

  // Offers the records from `first` to `last`.
  void run(Slot first, Slot last) {
    for (Cursor& cursor : scratch_.cursors) cursor.seek(first);
    for (;;) {
      Slot begin = kNoSlot;
      for (const Cursor& cursor : scratch_.cursors) {
        if (!cursor.done()) begin = std::min(begin, cursor.slot());
      }
      if (begin == kNoSlot || begin > last) return;
      score_window(begin, static_cast<Slot>(std::min<size_t>(last, begin + kWindow - 1)));
    }
  }

 private:
  void score_window(Slot first, Slot last) {
    scratch_.window_starts = scratch_.cursors;
    size_t postings = 0;
    for (Cursor& cursor : scratch_.cursors) {
      postings += cursor.add_to(scratch_.scores.data(), first, last, lexical_, scratch_.bm25);
    }
    const size_t width = size_t{last} - first + 1;
    if (postings * 16 < width) {
      collect_by_postings(first, last);
    } else {
      collect_all(first, width);
    }
  }

  void offer(Slot slot, float score) {
    if (score >= best_.threshold() && admits_(slot)) best_.offer(score, slot);
  }

  // For few postings: reads them again.
  void collect_by_postings(Slot first, Slot last) {
    for (Cursor& cursor : scratch_.window_starts) {
      cursor.read_to(last, [&](Slot slot) {
        float& score = scratch_.scores[slot - first];
        if (score != 0.0f) offer(slot, score);
        score = 0.0f;
      });
    }
  }

  void collect_all(Slot first, size_t width) {
    std::array<uint32_t, 512>& selected = scratch_.selected;
    for (size_t begin = 0; begin < width; begin += selected.size()) {
      float* const scores = scratch_.scores.data() + begin;
      const size_t count = std::min(selected.size(), width - begin);
      const float threshold = std::max(best_.threshold(), std::numeric_limits<float>::min());
      const size_t found = kernels_.select_above(scores, count, threshold, selected.data());
      for (size_t i = 0; i < found; ++i) offer(static_cast<Slot>(first + begin + selected[i]), scores[selected[i]]);
      std::fill_n(scores, count, 0.0f);
    }
  }

  const LexicalIndex& lexical_;
  Scratch& scratch_;
  TopK& best_;
  Admits admits_;
  const Kernels& kernels_ = kernels();
};

// The slots between which all admissible ones lie, if that is found faster than the postings are read. Slots of records
// that came together lie together, so that a time range is often a narrow one.
std::pair<Slot, Slot> slot_range(const Admission& admission, size_t postings) {
  constexpr std::pair<Slot, Slot> kAnySlot = {0, kNoSlot - 1};
  if (admission.all() || admission.count() == 0) return kAnySlot;
  if (admission.form() == Admission::Form::bits) {
    return {static_cast<Slot>(admission.bits().find_first()), static_cast<Slot>(admission.bits().find_last())};
  }
  if (admission.count() > postings) return kAnySlot;
  const auto [first, last] = std::ranges::minmax(admission.slots());
  return {first, last};
}

}  // namespace

void search_lexical(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                    const Admission& admission, std::vector<Candidate>& best) {
  const LexicalIndex& lexical = user.lexical;
  best.clear();
  if (lexical.documents() == 0) return;
  Scratch& scratch = Scratch::of_thread();
  find_terms(lexical, prepared.tokens, scratch.cursors);
  size_t postings = 0;
  for (const Cursor& cursor : scratch.cursors) postings += cursor.size();
  scratch.bm25.prepare(lexical, config.k1, config.b, postings);
  for (Cursor& cursor : scratch.cursors) cursor.set_weight(scratch.bm25.weight(cursor.size()));

  TopK selection(prepared.depth, user.recency(), best);
  const auto [first, last] = slot_range(admission, postings);
  try {
    admission.visit([&, first = first, last = last](auto admits) {
      Search(lexical, scratch, selection, admits).run(first, last);
    });
  } catch (...) {
    scratch.scores.fill(0.0f);
    throw;
  }
  selection.sort();
}

}  // namespace memspan
