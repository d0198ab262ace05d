#include "timeline/sessions.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace memspan {
namespace {

class EarlierTurn {
 public:
  explicit EarlierTurn(const Recency& recency) : recency_(recency) {}
  bool operator()(Slot a, Slot b) const { return recency_(b, a); }

 private:
  const Recency& recency_;
};

}  // namespace

void Sessions::insert(StringPool::Symbol session, Slot slot, const Recency& recency) {
  if (session == StringPool::kNone) return;
  if (session >= turns_.size()) turns_.resize(size_t{session} + 1);
  turns_[session].insert(slot, EarlierTurn(recency));
  count_ += turns_[session].size() == 1;
}

void Sessions::erase(StringPool::Symbol session, Slot slot, const Recency& recency) {
  if (session == StringPool::kNone) return;
  turns_[session].erase(slot, EarlierTurn(recency));
  count_ -= turns_[session].empty();
}

const Sessions::Turns& Sessions::turns(StringPool::Symbol session) const {
  static const Turns kNothing;
  return session < turns_.size() ? turns_[session] : kNothing;
}

Sessions::Turns::Iterator Sessions::find(StringPool::Symbol session, Slot slot, const Recency& recency) const {
  const Turns& all = turns(session);
  const auto place = all.lower_bound(slot, EarlierTurn(recency));
  return place != all.end() && *place == slot ? place : all.end();
}

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
  const Timeline::Entries& entries = timeline.entries();
  for (auto entry = entries.end(); entry != entries.begin();) {
    const Slot slot = (--entry)->slot();
    if (slot < of_slot.size() && of_slot[slot] != StringPool::kNone) sorted[--ends[of_slot[slot]]] = slot;
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
