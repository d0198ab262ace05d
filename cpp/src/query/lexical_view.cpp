#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/top_k.hpp"
#include "query/admitted_windows.hpp"
#include "query/query_terms.hpp"
#include "query/score_window.hpp"
#include "query/views.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

// With less than one posting for so many slots, the postings are read again instead of all scores of a window.
constexpr size_t kSparse = 64;
// Records whose place in a list is asked for before it is read.
constexpr size_t kAhead = 6;

// The most that some terms can add to a score.
struct Rest {
  double sum = 0.0;
  double rounding = 0.0;  // share of a score that all its additions may be off

  static double rounding_of(size_t terms) { return 1e-7 * static_cast<double>(terms + 8); }

  void take(double most) { sum = std::max(0.0, sum - most); }
  // A record needs so much without those terms to reach the score with them. Of -infinity: that.
  float least(float score) const {
    return static_cast<float>(static_cast<double>(score) - sum - rounding * std::abs(static_cast<double>(score)));
  }
};

// Memory that a thread keeps between queries.
struct Scratch {
  QueryTerms& terms = QueryTerms::of_thread();
  std::vector<TermCursor> window_starts;
  std::vector<Candidate> candidates;  // of a pruned search
  AdmittedWindows windows;
  std::vector<Rest> behind;  // of each term: what it and those after it can add

  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

// Scores the records that hold any of `terms`, window by window.
template <typename Admits>
class LexicalSearch {
 public:
  LexicalSearch(const LexicalIndex& lexical, Scratch& scratch, std::span<TermCursor> terms, TopK& best, Admits admits)
      : lexical_(lexical), scratch_(scratch), terms_(terms), best_(best), admits_(admits) {}

  // Keeps each record that may be among the best with what other terms add.
  void keep_candidates(Rest rest, std::vector<Candidate>& candidates) {
    rest_ = rest;
    candidates_ = &candidates;
  }

  // Offers the records in windows, or all.
  void run(const AdmittedWindows* windows) { windows != nullptr ? run_windows(*windows) : run_all(); }

 private:
  void run_all() {
    constexpr Slot last = kNoSlot - 1;
    for (TermCursor& cursor : terms_) cursor.seek(0);
    for (;;) {
      Slot begin = kNoSlot;
      for (const TermCursor& cursor : terms_) {
        if (!cursor.done()) begin = std::min(begin, cursor.slot());
      }
      if (begin == kNoSlot || begin > last) return;
      score_window(begin, static_cast<Slot>(std::min<size_t>(last, begin + ScoreWindow::kSlots - 1)));
    }
  }

  void run_windows(const AdmittedWindows& windows) {
    const auto is_few = [](const AdmittedWindow& window) { return window.few(); };
    go_to(windows.begin(), windows.end());
    for (const AdmittedWindow& window : windows) {
      if (window.few()) continue;
      for (TermCursor& cursor : terms_) cursor.advance(window.first);
      score_window(window.first, window.last);
    }
    // These come last: the best of the others tell which lists need not be read here.
    auto few = std::find_if(windows.begin(), windows.end(), is_few);
    if (few == windows.end()) return;
    sum_up_behind();
    go_to(few, windows.end());
    for (; few != windows.end(); few = std::find_if(few + 1, windows.end(), is_few)) score_few(windows, *few);
  }

  template <typename Window>
  void go_to(Window window, Window end) {
    if (window == end) return;
    for (TermCursor& cursor : terms_) cursor.seek(window->first);
  }

  void sum_up_behind() {
    std::vector<Rest>& behind = scratch_.behind;
    behind.assign(terms_.size(), {.rounding = Rest::rounding_of(scratch_.terms.cursors.size())});
    double sum = 0.0;
    for (size_t term = terms_.size(); term-- > 0;) {
      behind[term].sum = sum += static_cast<double>(terms_[term].most(scratch_.terms.bm25));
    }
  }

  // Lists that are long there are not read, but the records are looked for in them. Once the words that are left add too little
  // for who has none of those before, all that have too little are let go.
  void score_few(const AdmittedWindows& windows, const AdmittedWindow& window) {
    windows.write(window, window_.selected.data());
    std::span<uint32_t> left = std::span(window_.selected).first(window.count);
    float* const scores = window_.scores.data();
    for (size_t term = 0; term < terms_.size(); ++term) {
      const float least = scratch_.behind[term].least(least_);
      if (least > 0.0f) {
        left = drop_below(least, left, window.first);
        if (left.empty()) return;
      }
      TermCursor& cursor = terms_[term];
      if (windows.look_up(window, left.size(), cursor.size())) {
        for (size_t i = 0; i < left.size(); ++i) {
          if (i + kAhead < left.size()) cursor.prefetch(left[i + kAhead]);
          cursor.add_one(scores[left[i] - window.first], left[i], lexical_, scratch_.terms.bm25);
        }
        continue;
      }
      cursor.advance(window.first);
      const auto read = [&](auto admits) {
        cursor.add_few_to(scores, window.first, window.last, lexical_, scratch_.terms.bm25, admits);
      };
      if (least > 0.0f) {
        read([&](Slot slot) { return scores[slot - window.first] != 0.0f; });
      } else {
        read([&](Slot slot) { return windows.admits(slot); });
      }
    }
    for (const Slot slot : left) {
      float& score = scores[slot - window.first];
      if (score != 0.0f) offer(slot, score);
      score = 0.0f;
    }
  }

  // Those that have so much, ascending. The scores of the others are zero again.
  std::span<uint32_t> drop_below(float least, std::span<uint32_t> slots, Slot first) {
    size_t left = 0;
    for (const Slot slot : slots) {
      float& score = window_.scores[slot - first];
      if (score >= least) {
        slots[left++] = slot;
      } else {
        score = 0.0f;
      }
    }
    return slots.first(left);
  }

  void score_window(Slot first, Slot last) {
    scratch_.window_starts.assign(terms_.begin(), terms_.end());
    size_t postings = 0;
    for (TermCursor& cursor : terms_) {
      postings += cursor.add_to(window_.scores.data(), first, last, lexical_, scratch_.terms.bm25);
    }
    const size_t width = size_t{last} - first + 1;
    if (postings * kSparse < width) {
      collect_by_postings(first, last);
    } else {
      collect_all(first, width);
    }
  }

  void offer(Slot slot, float score) {
    if (!(score >= least_ && admits_(slot))) return;
    best_.offer(score, slot);
    if (candidates_ == nullptr) {
      least_ = best_.threshold();
    } else {
      candidates_->push_back({score, slot});
      least_ = rest_.least(best_.threshold());
    }
  }

  // For few postings: reads them again.
  void collect_by_postings(Slot first, Slot last) {
    for (TermCursor& cursor : scratch_.window_starts) {
      cursor.read_to(last, [&](Slot slot) {
        float& score = window_.scores[slot - first];
        if (score != 0.0f) offer(slot, score);
        score = 0.0f;
      });
    }
  }

  void collect_all(Slot first, size_t width) {
    std::array<uint32_t, ScoreWindow::kSelected>& selected = window_.selected;
    for (size_t begin = 0; begin < width; begin += selected.size()) {
      const float* const scores = window_.scores.data() + begin;
      const size_t count = std::min(selected.size(), width - begin);
      const float threshold = std::max(least_, std::numeric_limits<float>::min());
      const size_t found = kernels_.select_above(scores, count, threshold, selected.data());
      for (size_t i = 0; i < found; ++i) offer(static_cast<Slot>(first + begin + selected[i]), scores[selected[i]]);
    }
    std::memset(window_.scores.data(), 0, width * sizeof(float));  // in one go: starting it costs more than 2 kB do
  }

  const LexicalIndex& lexical_;
  Scratch& scratch_;
  ScoreWindow& window_ = ScoreWindow::of_thread();
  std::span<TermCursor> terms_;
  TopK& best_;
  Admits admits_;
  float least_ = -std::numeric_limits<float>::infinity();  // no lower score matters
  Rest rest_;
  std::vector<Candidate>* candidates_ = nullptr;
  const Kernels& kernels_ = kernels();
};

// A search that reads the lists of the rarest terms, and looks up in the others, which are longer and add little, only
// what may still be among the best (Turtle and Flood 1995, "MaxScore", over whole lists). The answer is that of a full
// search to the last bit: every score is added up in the same order.
class Pruning {
 public:
  Pruning(const LexicalIndex& lexical, Scratch& scratch, size_t k, double admitted_share)
      : lexical_(lexical), scratch_(scratch), k_(k), share_(admitted_share) {
    choose();
  }

  // Is it worth a try?
  explicit operator bool() const { return rare_ < scratch_.terms.cursors.size(); }

  // False if it turned out not to be; `best` then holds anything.
  template <typename Admits>
  bool run(const AdmittedWindows* windows, std::vector<Candidate>& best, Recency recency, Admits admits) {
    std::vector<Candidate>& candidates = scratch_.candidates;
    candidates.clear();
    float kth;
    {
      TopK partial(k_, recency, best);
      LexicalSearch search(lexical_, scratch_, std::span(scratch_.terms.cursors).first(rare_), partial, admits);
      search.keep_candidates(rest_, candidates);
      search.run(windows);
      partial.sort();
      if (best.size() < k_) return false;
      kth = best.back().score;
    }
    if (rest_.least(kth) <= 0.0f) return false;  // a record without any of the rare terms may be among the best
    drop_below(rest_.least(kth));
    const std::span<TermCursor> others = std::span(scratch_.terms.cursors).subspan(rare_);
    if (candidates.size() * others.size() * kLookupCost > postings_left_) return false;
    if (!std::is_sorted(candidates.begin(), candidates.end(), by_slot)) {
      std::sort(candidates.begin(), candidates.end(), by_slot);
    }
    for (TermCursor& term : others) {
      term.seek(candidates.front().slot);
      for (size_t i = 0; i < candidates.size(); ++i) {
        if (i + kAhead < candidates.size()) term.prefetch(candidates[i + kAhead].slot);
        term.add_one(candidates[i].score, candidates[i].slot, lexical_, scratch_.terms.bm25);
      }
      rest_.take(static_cast<double>(term.most(scratch_.terms.bm25)));
      drop_below(rest_.least(kth));
    }
    TopK selection(k_, recency, best);
    for (const Candidate& each : candidates) selection.offer(each.score, each.slot);
    selection.sort();
    return true;
  }

 private:
  static constexpr size_t kLookupCost = 60;       // of a record in a list, in postings read one after the other
  static constexpr double kFewPostings = 4096.0;  // are read faster than anything is thought about
  static constexpr double kMostRare = 1u << 18;   // postings whose records are kept

  static bool by_slot(const Candidate& a, const Candidate& b) { return a.slot < b.slot; }

  // Takes the fewest terms after which the k-th best score can be expected to be out of reach of all others together.
  void choose() {
    const std::span<TermCursor> terms = scratch_.terms.cursors;
    const Bm25& bm25 = scratch_.terms.bm25;
    double left = 0.0;
    for (const TermCursor& term : terms) {
      left += share_ * static_cast<double>(term.size());
      rest_.sum += static_cast<double>(term.most(bm25));
    }
    rest_.rounding = Rest::rounding_of(terms.size());
    const double total = left;
    double expected = 0.0;  // of the k-th best: what the rarest term of k records usually adds
    for (rare_ = 0; rare_ < terms.size(); ++rare_) {
      const bool small = total - left <= std::min(kMostRare, total * 0.5);
      if (left < kFewPostings || !small) break;
      if (expected > rest_.sum && worth_looking_up(expected, left)) {
        postings_left_ = static_cast<size_t>(left);
        return;
      }
      const TermCursor& term = terms[rare_];
      left -= share_ * static_cast<double>(term.size());
      rest_.take(static_cast<double>(term.most(bm25)));
      if (expected == 0.0 && total - left >= static_cast<double>(k_)) expected = static_cast<double>(term.usual(bm25));
    }
    rare_ = terms.size();
  }

  // Will the records that may still be among the best be few enough, if the k-th best has that score without the other terms?
  bool worth_looking_up(double expected, double left) const {
    const std::span<TermCursor> terms = scratch_.terms.cursors;
    double records = 0.0;
    for (const TermCursor& term : terms.first(rare_)) {
      if (static_cast<double>(term.usual(scratch_.terms.bm25)) >= expected - rest_.sum) {
        records += share_ * static_cast<double>(term.size());
      }
    }
    return records * static_cast<double>((terms.size() - rare_) * kLookupCost) <= left;
  }

  void drop_below(float least) {
    std::erase_if(scratch_.candidates, [least](const Candidate& each) { return each.score < least; });
  }

  const LexicalIndex& lexical_;
  Scratch& scratch_;
  size_t k_;
  double share_;
  size_t rare_ = 0;           // terms that are read
  Rest rest_;                 // of the others
  size_t postings_left_ = 0;  // of the others, about
};

}  // namespace

void search_lexical(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                    const Admission& admission, std::vector<Candidate>& best) {
  const LexicalIndex& lexical = user.lexical;
  best.clear();
  const WordStatistics statistics = statistics_for(user, prepared);
  if (statistics.documents() == 0) return;
  Scratch& scratch = Scratch::of_thread();
  scratch.terms.find(statistics, prepared.tokens, config);

  const AdmittedWindows* const windows =
      scratch.windows.find(admission, user.slots(), scratch.terms.postings) ? &scratch.windows : nullptr;
  Pruning pruning(lexical, scratch, prepared.depth, windows != nullptr ? windows->share() : 1.0);
  const auto search = [&](auto admits) {
    if (pruning && pruning.run(windows, best, user.recency(), admits)) return;
    TopK selection(prepared.depth, user.recency(), best);
    LexicalSearch(lexical, scratch, scratch.terms.cursors, selection, admits).run(windows);
    selection.sort();
  };
  try {
    if (windows != nullptr) {
      search([windows](Slot slot) { return windows->admits(slot); });
    } else {
      // A snapshot that was made up may name dead slots.
      admission.visit([&](auto admits) { search([&](Slot slot) { return user.live.test(slot) && admits(slot); }); });
    }
  } catch (...) {
    ScoreWindow::of_thread().scores.fill(0.0f);
    throw;
  }
}

}  // namespace memspan
