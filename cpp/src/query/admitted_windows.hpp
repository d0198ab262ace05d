// Where a query's admissible records lie among the slots, window by window (score_window.hpp). A search for words that knows it
// reads nothing where there are none, and where there are few only what the lists say of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/admission.hpp"
#include "query/score_window.hpp"

namespace memspan {

struct AdmittedWindow {
  // Where one slot of so many is admitted, or fewer, the records are looked at one by one.
  static constexpr size_t kFewOf = 16;
  static_assert(ScoreWindow::kSlots / kFewOf <= ScoreWindow::kSelected);

  Slot first;  // that is admitted
  Slot last;
  uint32_t count;

  size_t width() const { return size_t{last} - first + 1; }
  bool few() const { return count * kFewOf <= width(); }
};

// Valid as long as the admission has its set. Reusing an object reuses its memory. Not thread-safe.
class AdmittedWindows {
 public:
  // False, and nothing to be asked, where every record is admissible, or to find this out would take longer than to read the
  // postings of every one. O(slots / 64), and O(records of the set) if it is not bits yet.
  bool find(const Admission& admission, size_t slots, size_t postings) {
    if (admission.all() || admission.open()) return false;
    if (admission.form() != Admission::Form::bits && admission.count() > postings) return false;
    bits_ = &admission.bits();
    slots_ = slots;
    windows_.clear();
    size_t read = 0;
    for (size_t first = 0; first < slots; first += ScoreWindow::kSlots) {
      const size_t count = bits_->count(first / 64, ScoreWindow::kSlots / 64);
      if (count == 0) continue;
      const size_t end = std::min(slots, first + ScoreWindow::kSlots);
      windows_.push_back({static_cast<Slot>(bits_->find_first(first)), static_cast<Slot>(bits_->find_last(end)),
                          static_cast<uint32_t>(count)});
      const AdmittedWindow& window = windows_.back();
      read += window.few() ? count * AdmittedWindow::kFewOf : window.width();
    }
    share_ = static_cast<double>(read) / static_cast<double>(slots);
    return true;
  }

  auto begin() const { return windows_.begin(); }
  auto end() const { return windows_.end(); }

  // Of all postings, about, those that are read.
  double share() const { return share_; }
  bool admits(Slot slot) const { return bits_->test(slot); }
  // Writes the window's admitted records, ascending.
  void write(const AdmittedWindow& window, uint32_t* out) const {
    bits_->for_each(window.first / 64, window.last / 64 - window.first / 64 + 1, [&](Slot slot) { *out++ = slot; });
  }
  // Is it faster to look for so many records of the window in a list than to read the list there?
  bool look_up(const AdmittedWindow& window, size_t records, size_t list_size) const {
    return records * kLookupCost * slots_ < list_size * window.width();
  }

 private:
  // In postings read one after the other.
  static constexpr size_t kLookupCost = 40;

  const Bitset* bits_ = nullptr;
  size_t slots_ = 0;
  double share_ = 1.0;
  std::vector<AdmittedWindow> windows_;
};

}  // namespace memspan
