// Records are added up and offered from the last slots to the first: those of one tag have one score, mostly the newest
// have the last slots, and when these are in, the others are refused by a glance at their time.
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/top_k.hpp"
#include "query/score_window.hpp"
#include "query/views.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

// With less than one record for so many slots, the lists are read again instead of all scores of a window.
constexpr size_t kSparseTags = 8;

// The records of a tag that are left, from the last to the first.
class TagCursor {
 public:
  TagCursor(const TagDag::Slots& records, float weight) : blocks_(records.blocks()), weight_(weight) {
    left_ = blocks_.empty() ? 0 : blocks_.back().count;
  }

  bool done() const { return left_ == 0; }
  Slot slot() const { return blocks_.back().items[left_ - 1]; }
  float weight() const { return weight_; }

  // Calls use(slot) for the records from `first` on, and goes before them. Returns how many they are.
  template <typename Use>
  size_t read_from(Slot first, Use use) {
    size_t read = 0;
    while (!done() && slot() >= first) {
      const std::span<const Slot> items = blocks_.back().span().first(left_);
      const auto begin = static_cast<size_t>(std::lower_bound(items.begin(), items.end(), first) - items.begin());
      for (size_t i = left_; i > begin; --i) use(items[i - 1]);
      read += left_ - begin;
      left_ = begin;
      if (left_ > 0) break;
      blocks_ = blocks_.first(blocks_.size() - 1);
      left_ = blocks_.empty() ? 0 : blocks_.back().count;
    }
    return read;
  }

 private:
  std::span<const TagDag::Slots::Block> blocks_;
  size_t left_;  // of the last block
  float weight_;
};

std::vector<TagCursor>& thread_cursors() {
  thread_local std::vector<TagCursor> cursors;
  return cursors;
}
std::vector<TagCursor>& thread_window_ends() {
  thread_local std::vector<TagCursor> cursors;
  return cursors;
}

template <typename Admits>
class SymbolicSearch {
 public:
  SymbolicSearch(TopK& best, Admits admits) : best_(best), admits_(admits) {}

  void run() {
    for (;;) {
      Slot last = 0;
      bool left = false;
      for (const TagCursor& cursor : cursors_) {
        if (cursor.done()) continue;
        last = std::max(last, cursor.slot());
        left = true;
      }
      if (!left) return;
      score_window(last < ScoreWindow::kSlots ? 0 : static_cast<Slot>(last - ScoreWindow::kSlots + 1), last);
    }
  }

 private:
  void score_window(Slot first, Slot last) {
    float most = 0.0f;  // added up in the order of the records' scores, so that no rounding makes one of those more
    TagCursor* only = nullptr;
    size_t lists = 0;
    for (TagCursor& cursor : cursors_) {
      if (cursor.done() || cursor.slot() < first) continue;
      most += cursor.weight();
      only = &cursor;
      ++lists;
    }
    if (most < best_.threshold()) {
      for (TagCursor& cursor : cursors_) cursor.read_from(first, [](Slot) {});
      return;
    }
    if (lists == 1) {
      only->read_from(first, [this, most](Slot slot) { offer(most, slot); });
      return;
    }
    ends_.assign(cursors_.begin(), cursors_.end());
    float* const scores = window_.scores.data();
    size_t postings = 0;
    for (TagCursor& cursor : cursors_) {
      postings += cursor.read_from(first, [scores, first, weight = cursor.weight()](Slot slot) { scores[slot - first] += weight; });
    }
    const size_t width = size_t{last} - first + 1;
    if (postings * kSparseTags < width) {
      collect_by_postings(first);
    } else {
      collect_all(first, width);
    }
  }

  void collect_by_postings(Slot first) {
    for (TagCursor& cursor : ends_) {
      cursor.read_from(first, [&](Slot slot) {
        float& score = window_.scores[slot - first];
        if (score != 0.0f) offer(score, slot);
        score = 0.0f;
      });
    }
  }

  void collect_all(Slot first, size_t width) {
    std::array<uint32_t, ScoreWindow::kSelected>& selected = window_.selected;
    const float* const scores = window_.scores.data();
    for (size_t end = width; end > 0;) {
      const size_t begin = (end - 1) / selected.size() * selected.size();
      const float threshold = std::max(best_.threshold(), std::numeric_limits<float>::min());
      size_t found = kernels_.select_above(scores + begin, end - begin, threshold, selected.data());
      while (found-- > 0) {
        const size_t at = begin + selected[found];
        offer(scores[at], static_cast<Slot>(first + at));
      }
      end = begin;
    }
    std::memset(window_.scores.data(), 0, width * sizeof(float));
  }

  void offer(float score, Slot slot) {
    if (score >= best_.threshold() && admits_(slot)) best_.offer(score, slot);
  }

  TopK& best_;
  Admits admits_;
  std::vector<TagCursor>& cursors_ = thread_cursors();
  std::vector<TagCursor>& ends_ = thread_window_ends();  // where the window begins to be read
  ScoreWindow& window_ = ScoreWindow::of_thread();
  const Kernels& kernels_ = kernels();
};

}  // namespace

void search_symbolic(const UserColumns& user, const PreparedQuery& prepared, const BoostingTags& boosting,
                     const Admission& admission, std::vector<Candidate>& best) {
  std::vector<TagCursor>& cursors = thread_cursors();
  cursors.clear();
  for (const auto& [tag, weight] : boosting.weights) {
    if (weight > 0.0f) cursors.emplace_back(user.tags.records(tag), weight);
  }
  TopK top(prepared.depth, user.recency(), best);
  try {
    admission.visit([&](auto admits) { SymbolicSearch(top, admits).run(); });
  } catch (...) {
    ScoreWindow::of_thread().scores.fill(0.0f);
    throw;
  }
  top.sort();
}

}  // namespace memspan
