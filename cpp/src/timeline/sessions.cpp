#include "timeline/sessions.hpp"

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
  return turns(session).lower_bound(slot, EarlierThenId(recency));
}

void Sessions::remap(std::span<const Slot> new_slots) {
  for (size_t session = 0; session < turns_.size(); ++session) {
    turns_[session].rewrite([&](Slot& slot) { slot = new_slots[slot]; });
  }
}

size_t Sessions::bytes() const {
  size_t total = turns_.bytes();
  for (size_t session = 0; session < turns_.size(); ++session) total += turns_[session].bytes();
  return total;
}

}  // namespace memspan
