#include "query/listing.hpp"

#include <algorithm>
#include <array>

#include "query/time_filter.hpp"

namespace memspan {
namespace {

constexpr size_t kFewRecords = 32;      // hits that are made before it is known how many there are
constexpr size_t kOneLookedAtOf = 128;  // of so many records at the query's times one is looked at
constexpr size_t kRareTag = 16;         // tags on fewer than one record of so many: to read their list is faster than a walk

// The newest one has rank 1. Inline, as calling it would be a tenth of a listing.
[[gnu::always_inline]] inline void write_hit(const UserColumns& user, Slot slot, Micros at, size_t rank, const UseCounter& uses, Hit& hit) {
  hit.id = user.ids[slot];
  hit.at = at;
  hit.score = 0.0f;
  uses.note(slot);
  hit.views = {};
  hit.views[static_cast<size_t>(View::symbolic)].rank = static_cast<uint32_t>(rank);
}

// Calls use(end, start) for each interval, the latest first: of its entries before a time, the last is the one before `end`,
// and the first is the first one at `start` or later. Stops when it returns false.
template <typename Use>
void for_each_interval(const Timeline& timeline, const std::optional<std::span<const Interval>>& intervals, Micros before, Use use) {
  if (!intervals) {
    use(before == kForever ? timeline.entries().end() : timeline.first_at(before), kMinTime);
    return;
  }
  for (auto interval = intervals->rbegin(); interval != intervals->rend(); ++interval) {
    if (!use(timeline.first_at(std::min(interval->end, before)), interval->start)) return;
  }
}

size_t count_within(const Timeline& timeline, const std::optional<std::span<const Interval>>& intervals) {
  if (!intervals) return timeline.size();
  size_t count = 0;
  for (const Interval& interval : *intervals) count += timeline.count(timeline.within(interval));
  return count;
}

// The filters of a query but for its intervals, asked of one record after the other.
class RecordFilters {
 public:
  RecordFilters(const UserColumns& user, const PreparedQuery& prepared)
      : tags_(user.tags), times_(user, prepared), columns_(user, prepared), where_(prepared.where.has_value()) {
    for (const std::string& name : prepared.require_tags) {
      const auto tag = tags_.find(name);
      unknown_tag_ |= !tag;
      if (tag) required_[required_count_++] = *tag;
    }
  }

  // Are `wanted` records to be expected among `looked_at` of all, as far as the lists of the tags tell?
  bool promise(size_t wanted, size_t looked_at, size_t all) const {
    return !unknown_tag_ && std::all_of(required_.begin(), required_.begin() + required_count_, [&](TagId tag) {
      const size_t records = tags_.records(tag).size();
      return records * kRareTag >= all && records * looked_at >= wanted * all;
    });
  }

  bool admit(Slot slot) const {
    return times_.admits(slot) && columns_.admits_kind(slot) && carries_all(slot) && (!where_ || columns_.matches_where(slot));
  }

 private:
  bool carries_all(Slot slot) const {
    if (required_count_ == 0) return true;
    const auto tags = tags_.tags_of(slot);
    return std::all_of(required_.begin(), required_.begin() + required_count_, [&](TagId tag) { return tags.contains(tag); });
  }

  const TagDag& tags_;
  TimeFilter times_;
  ColumnFilters columns_;
  bool where_;
  bool unknown_tag_ = false;
  std::array<TagId, limits::kTagsPerRecord> required_;
  std::ptrdiff_t required_count_ = 0;
};

}  // namespace

void list_by_time(const UserColumns& user, const std::optional<std::span<const Interval>>& intervals, size_t k,
                  std::vector<Hit>& hits, const UseCounter& uses) {
  const Timeline::Entries& entries = user.timeline.entries();
  const size_t wanted = std::min(k, entries.size());
  size_t found = 0;
  const Standing& standing = user.standing;
  const bool hides = !standing.empty();
  const Micros now = standing.expiring_count() > 0 ? wall_clock() : 0;
  const auto hidden = [&](Slot slot) {
    return standing.retired(slot) || user.attributes.states().expires_at(slot) <= now;
  };
  for_each_interval(user.timeline, intervals, kForever, [&](Timeline::Entries::Iterator end, Micros start) {
    while (found < wanted && end != entries.begin() && (--end)->at() >= start) {
      if (hides && hidden(end->slot())) continue;
      if (found == hits.size()) hits.resize(std::min(wanted, std::max(kFewRecords, 2 * found)));
      write_hit(user, end->slot(), end->at(), found + 1, uses, hits[found]);
      ++found;
    }
    return found < wanted;
  });
  hits.resize(found);
}

bool list_by_filters(const UserColumns& user, const PreparedQuery& prepared, std::vector<Slot>& newest, std::vector<Hit>& hits,
                     const UseCounter& uses) {
  const Timeline::Entries& entries = user.timeline.entries();
  size_t left = count_within(user.timeline, prepared.intervals) / kOneLookedAtOf;
  if (prepared.depth > left) return false;
  const RecordFilters filters(user, prepared);
  if (!filters.promise(prepared.depth, left, entries.size())) return false;

  // What happened later was not true then.
  const Micros before = prepared.query->valid_at ? *prepared.query->valid_at + 1 : kForever;
  newest.clear();
  bool complete = true;
  for_each_interval(user.timeline, prepared.intervals, before, [&](Timeline::Entries::Iterator end, Micros start) {
    while (newest.size() < prepared.depth && end != entries.begin() && (--end)->at() >= start) {
      if (left-- == 0) return complete = false;
      if (filters.admit(end->slot())) newest.push_back(end->slot());
    }
    return newest.size() < prepared.depth;
  });
  if (!complete) return false;
  hits.resize(newest.size());
  for (size_t i = 0; i < newest.size(); ++i) write_hit(user, newest[i], user.ats[newest[i]], i + 1, uses, hits[i]);
  return true;
}

}  // namespace memspan
