#include "timeline/sessions.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace memspan {
namespace {

class EarlierThenId {
 public:
  explicit EarlierThenId(const Recency& recency) : recency_(recency) {}
  bool operator()(Slot a, Slot b) const {
    if (recency_.at(a) != recency_.at(b)) return recency_.at(a) < recency_.at(b);
    return recency_.id(a) < recency_.id(b);
  }

 private:
  const Recency& recency_;
};

}  // namespace

void Sessions::insert(StringPool::Symbol session, Slot slot, const Recency& recency) {
  if (session == StringPool::kNone) return;
  if (session >= turns_.size()) turns_.resize(size_t{session} + 1);
  turns_[session].insert(slot, EarlierThenId(recency));
  count_ += turns_[session].size() == 1;
}

void Sessions::erase(StringPool::Symbol session, Slot slot, const Recency& recency) {
  if (session == StringPool::kNone) return;
  turns_[session].erase(slot, EarlierThenId(recency));
  count_ -= turns_[session].empty();
}

const Sessions::Turns& Sessions::turns(StringPool::Symbol session) const {
  static const Turns kNothing;
  return session < turns_.size() ? turns_[session] : kNothing;
}

Sessions::Turns::Iterator Sessions::find(StringPool::Symbol session, Slot slot, const Recency& recency) const {
  const Turns& all = turns(session);
  const auto place = all.lower_bound(slot, EarlierThenId(recency));
  return place != all.end() && *place == slot ? place : all.end();
}

// Records are put into their sessions in the order of the timeline, but those of one time the other way round.
void Sessions::build(std::span<const StringPool::Symbol> of_slot, const Timeline& timeline) {
  std::vector<uint32_t> ends = {0};  // by symbol
  for (const StringPool::Symbol session : of_slot) {
    if (session == StringPool::kNone) continue;
    if (session >= ends.size()) ends.resize(size_t{session} + 1, 0);
    ++ends[session];
  }
  for (size_t s = 1; s < ends.size(); ++s) ends[s] += ends[s - 1];
  std::vector<Slot> sorted(ends.back());
  if (sorted.empty()) return;
  // From the end, so that each session is filled from its end.
  std::vector<Slot> same_time;
  const Timeline::Entries& entries = timeline.entries();
  for (auto entry = entries.end(); entry != entries.begin();) {
    const Micros at = std::prev(entry)->at();
    same_time.clear();
    while (entry != entries.begin() && std::prev(entry)->at() == at) same_time.push_back((--entry)->slot());
    for (auto slot = same_time.rbegin(); slot != same_time.rend(); ++slot) {
      if (*slot < of_slot.size() && of_slot[*slot] != StringPool::kNone) sorted[--ends[of_slot[*slot]]] = *slot;
    }
  }
  const Slot* next = sorted.data();
  for (size_t s = 0; s < ends.size(); ++s) {
    const size_t count = (s + 1 < ends.size() ? ends[s + 1] : sorted.size()) - ends[s];
    if (count == 0) continue;
    turns_.resize(s + 1);
    turns_[s].fill(count, [&](std::span<Slot> turns) {
      std::copy_n(next, turns.size(), turns.begin());
      next += turns.size();
    });
    ++count_;
  }
}

size_t Sessions::bytes() const {
  size_t total = turns_.bytes();
  for (size_t session = 0; session < turns_.size(); ++session) total += turns_[session].bytes();
  return total;
}

}  // namespace memspan
