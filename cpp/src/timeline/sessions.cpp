#include "timeline/sessions.hpp"

#include <algorithm>

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
  std::vector<Slot>& slots = sessions_[session];
  slots.insert(std::upper_bound(slots.begin(), slots.end(), slot, EarlierThenId(recency)), slot);
}

void Sessions::erase(StringPool::Symbol session, Slot slot, const Recency& recency) {
  if (session == StringPool::kNone) return;
  const auto found = sessions_.find(session);
  std::vector<Slot>& slots = found->second;
  slots.erase(std::lower_bound(slots.begin(), slots.end(), slot, EarlierThenId(recency)));
  if (slots.empty()) sessions_.erase(found);
}

std::span<const Slot> Sessions::records(StringPool::Symbol session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? std::span<const Slot>() : std::span<const Slot>(found->second);
}

size_t Sessions::position(StringPool::Symbol session, Slot slot, const Recency& recency) const {
  const std::span<const Slot> slots = records(session);
  return static_cast<size_t>(std::lower_bound(slots.begin(), slots.end(), slot, EarlierThenId(recency)) - slots.begin());
}

void Sessions::remap(std::span<const Slot> new_slots) {
  for (auto& [session, slots] : sessions_) {
    for (Slot& slot : slots) slot = new_slots[slot];
  }
}

size_t Sessions::bytes() const {
  size_t total = sessions_.bucket_count() * (sizeof(std::vector<Slot>) + sizeof(StringPool::Symbol));
  for (const auto& [session, slots] : sessions_) total += slots.capacity() * sizeof(Slot);
  return total;
}

}  // namespace memspan
