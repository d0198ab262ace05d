#include "query/admission.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "query/time_filter.hpp"

namespace memspan {
namespace {

// A list that is so many times longer than what is left is not walked: each record left is asked for the tag instead.
// (Estimated, not measured: asking looks into another list.)
constexpr size_t kAskInstead = 6;

// Turning a record that was walked past into one that was selected by its time costs so many times as much.
constexpr size_t kSelectCost = 3;

// Asking a record of a span for its times costs so many times as much as asking 64 slots at once, shared out.
constexpr size_t kWordCost = 64;

// So many records are asked for what `where` says, all of them; more are left open where one in kOpenShare of a sample is it.
constexpr size_t kAskedAdmitted = 8192;
constexpr size_t kOpenSample = 128;
constexpr size_t kOpenShare = 8;

}  // namespace

void Admission::clear(const UserColumns& user) {
  user_ = &user;
  intervals_ = {};
  has_bits_ = has_slots_ = open_ = false;
  slots_.clear();
  spans_.clear();
}

void Admission::admit_all(const UserColumns& user) {
  clear(user);
  form_ = Form::all;
  count_ = user.live_count();
}

void Admission::admit(const UserColumns& user, const PreparedQuery& prepared) {
  admit_all(user);
  if (!prepared.require_tags.empty()) {
    start_from_tags(prepared);
    if (prepared.intervals) {
      keep_if([&](Slot slot) { return find_interval(*prepared.intervals, user.ats[slot]) != nullptr; });
    }
  } else if (prepared.intervals) {
    start_from_intervals(*prepared.intervals);
  }
  const TimeFilter times(user, prepared);
  if (times.any()) keep_by_times(times);
  const ColumnFilters filters(user, prepared);
  if (filters.refuses_kinds()) keep_by_kinds(filters, times);
  if (!prepared.query->exclude.empty()) exclude(prepared.query->exclude);
  if (prepared.where) keep_by_where(*prepared.where);
}

bool Admission::admit_within(const UserColumns& user, std::span<const Interval> intervals, const Admission& others) {
  admit_all(user);
  start_from_intervals(intervals);
  if (all()) return false;
  if (!others.all()) {
    others.visit([this](auto admits_slot) { keep_if(admits_slot); });
  }
  return true;
}

// The intersection of the tags' lists, the shortest first.
void Admission::start_from_tags(const PreparedQuery& prepared) {
  form_ = Form::slots;
  has_slots_ = true;
  count_ = 0;
  const TagDag& tags = user_->tags;
  std::array<TagId, limits::kTagsPerRecord> known = {};
  size_t number = 0;
  for (const std::string& name : prepared.require_tags) {
    const auto tag = tags.find(name);
    if (!tag) return;
    known[number++] = *tag;
  }
  const std::span<TagId> required(known.data(), number);
  std::sort(required.begin(), required.end(),
            [&](TagId a, TagId b) { return tags.records(a).size() < tags.records(b).size(); });
  for (Slot slot : tags.records(required[0])) slots_.push_back(slot);
  for (TagId tag : required.subspan(1)) {
    if (tags.records(tag).size() > kAskInstead * slots_.size()) {
      std::erase_if(slots_, [&](Slot slot) { return !tags.tags_of(slot).contains(tag); });
    } else {
      auto kept = slots_.begin();
      auto next = slots_.begin();
      for (Slot carrier : tags.records(tag)) {
        while (next != slots_.end() && *next < carrier) ++next;
        if (next == slots_.end()) break;
        if (*next == carrier) *kept++ = *next++;
      }
      slots_.erase(kept, slots_.end());
    }
  }
  count_ = slots_.size();
}

void Admission::start_from_intervals(std::span<const Interval> intervals) {
  count_ = 0;
  for (const Interval& interval : intervals) {
    const Timeline::Range range = user_->timeline.within(interval);
    const size_t count = user_->timeline.count(range);
    if (count == 0) continue;
    spans_.push_back(range);
    count_ += count;
  }
  if (count_ == user_->live_count()) {
    spans_.clear();
    return;  // all, as before
  }
  form_ = Form::spans;
  intervals_ = intervals;
}

void Admission::keep_by_times(const TimeFilter& times) {
  const bool in_words = form_ == Form::all || (form_ == Form::spans && count_ * kWordCost > user_->live.size());
  if (!in_words) {
    keep_if([&](Slot slot) { return times.admits(slot); });
    return;
  }
  bits_ = user_->live;
  times.keep(intervals_, bits_);
  const size_t left = bits_.count();
  if (left == count_) return;  // nothing is hidden: the form stays
  has_bits_ = true;
  form_ = Form::bits;
  count_ = left;
}

void Admission::keep_by_kinds(const ColumnFilters& filters, const TimeFilter& times) {
  const bool in_words = form_ == Form::all || form_ == Form::bits ||
                        (form_ == Form::spans && count_ * kWordCost > user_->live.size());
  if (!in_words) {
    keep_if([&](Slot slot) { return filters.admits_kind(slot); });
    return;
  }
  if (form_ != Form::bits) bits_ = user_->live;
  if (form_ == Form::spans) times.keep(intervals_, bits_);
  filters.keep_kinds(bits_);
  const size_t left = bits_.count();
  if (left == count_) return;  // all of the others are outside: the form stays
  has_bits_ = true;
  form_ = Form::bits;
  count_ = left;
}

void Admission::keep_by_where(const Where& where) {
  verdicts_.start(where, user_->attributes, count_);
  if (!leave_open()) keep_matching();
}

// By time where that can be, as the learned ranking makes something of how many there seem to be.
bool Admission::leave_open() {
  if (form_ == Form::slots || count_ < kAskedAdmitted) return false;
  size_t asked = 0;
  size_t admitted = 0;
  const auto ask = [&](Slot slot) {
    ++asked;
    admitted += verdicts_.admits(slot) ? 1 : 0;
  };
  const size_t step = count_ / kOpenSample;
  if (form_ == Form::spans || rare()) {
    for_every_in_form(step, Strata::Distances::uneven, ask);
  } else {
    walk(step, Strata::Distances::uneven, [&](Slot slot) {
      if (in_form(slot)) ask(slot);
    });
  }
  if (asked == 0 || admitted * kOpenShare < asked) return false;
  count_ = count_ * admitted / asked;
  return open_ = true;
}

void Admission::keep_matching() const {
  open_ = false;
  if (form_ == Form::spans || form_ == Form::slots) {
    keep_if([this](Slot slot) { return verdicts_.admits(slot); });
    return;
  }
  if (form_ == Form::all) bits_ = user_->live;
  verdicts_.keep(bits_);
  has_bits_ = true;
  form_ = Form::bits;
  count_ = bits_.count();
}

template <typename Keep>
void Admission::keep_if(Keep keep) const {
  switch (form_) {
    case Form::all:
      bits_ = user_->live;
      bits_.keep_if(keep);
      has_bits_ = true;
      form_ = Form::bits;
      count_ = bits_.count();
      return;
    case Form::spans:
      for (const Timeline::Range& range : spans_) {
        for (const Timeline::Entry& entry : range) {
          if (keep(entry.slot())) slots_.push_back(entry.slot());
        }
      }
      has_slots_ = true;
      form_ = Form::slots;
      intervals_ = {};
      count_ = slots_.size();
      return;
    case Form::slots:
      std::erase_if(slots_, [&](Slot slot) { return !keep(slot); });
      count_ = slots_.size();
      return;
    case Form::bits:
      bits_.keep_if(keep);
      count_ = bits_.count();
      return;
  }
}

void Admission::exclude(std::span<const std::string> ids) {
  excluded_.clear();
  for (const std::string& id : ids) {
    const Slot slot = user_->ids.find(id);
    if (slot != kNoSlot) excluded_.push_back(slot);
  }
  if (excluded_.empty()) return;
  if (form_ == Form::all || form_ == Form::bits) {
    if (form_ == Form::all) bits_ = user_->live;
    for (Slot slot : excluded_) bits_.reset(slot);
    has_bits_ = true;
    form_ = Form::bits;
    count_ = bits_.count();
    return;
  }
  std::sort(excluded_.begin(), excluded_.end());
  keep_if([this](Slot slot) { return !std::binary_search(excluded_.begin(), excluded_.end(), slot); });
}

const Bitset& Admission::bits() const {
  settle();
  if (has_bits_) return bits_;
  has_bits_ = true;
  if (form_ == Form::all) {
    bits_ = user_->live;
    return bits_;
  }
  bits_.assign(user_->slots(), false);
  if (has_slots_) {
    bits_.set_each(slots_, std::identity());
  } else {
    for (const Timeline::Range& range : spans_) {
      Timeline::Entries::for_each_piece(range.begin(), range.end(), [this](std::span<const Timeline::Entry> entries) {
        bits_.set_each(entries, [](const Timeline::Entry& entry) { return entry.slot(); });
      });
    }
  }
  return bits_;
}

std::span<const Slot> Admission::slots() const {
  settle();
  if (has_slots_) return slots_;
  has_slots_ = true;
  if (form_ == Form::spans) {
    slots_.resize(count_);
    Slot* next = slots_.data();
    for (const Timeline::Range& range : spans_) {
      Timeline::Entries::for_each_piece(range.begin(), range.end(), [&](std::span<const Timeline::Entry> entries) {
        for (const Timeline::Entry& entry : entries) *next++ = entry.slot();
      });
    }
  } else {
    slots_.reserve(count_);
    bits().for_each([this](Slot slot) { slots_.push_back(slot); });
  }
  return slots_;
}

void Admission::newest(size_t limit, std::vector<Slot>& out) const {
  out.clear();
  settle();
  const size_t wanted = std::min(limit, count_);
  if (wanted == 0) return;
  const auto walk = [&](const auto& entries, auto admits_slot) {
    for (auto entry = entries.end(); entry != entries.begin() && out.size() < wanted;) {
      --entry;
      if (admits_slot(entry->slot())) out.push_back(entry->slot());
    }
  };
  const auto any = [](Slot) { return true; };
  if (form_ == Form::all) {
    walk(user_->timeline.entries(), any);
  } else if (form_ == Form::spans) {
    for (size_t i = spans_.size(); i > 0; --i) walk(spans_[i - 1], any);
  } else if (form_ == Form::bits && !intervals_.empty()) {
    for (size_t i = spans_.size(); i > 0; --i) {
      walk(spans_[i - 1], [&admitted = bits()](Slot slot) { return admitted.test(slot); });
    }
  } else if (wanted * user_->timeline.size() / count_ < kSelectCost * count_) {
    walk(user_->timeline.entries(), [&admitted = bits()](Slot slot) { return admitted.test(slot); });
  } else {
    const std::span<const Slot> all = slots();
    out.assign(all.begin(), all.end());
    std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(wanted), out.end(), user_->recency());
    out.resize(wanted);
  }
}

size_t Admission::bytes() const {
  return bits_.bytes() + (slots_.capacity() + excluded_.capacity()) * sizeof(Slot) +
         spans_.capacity() * sizeof(Timeline::Range) + verdicts_.bytes();
}

}  // namespace memspan
