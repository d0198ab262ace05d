// UserIndex: what the records call people and things, and when that changes.
#include <algorithm>
#include <atomic>
#include <shared_mutex>

#include "base/hash_map.hpp"
#include "index/user_index.hpp"

namespace memspan {
namespace {

// Other records of a tag that a write looks at.
constexpr size_t kTriedOthers = 16;

}  // namespace

TagDag::Hidden UserIndex::hides_retired(bool retired) const {
  if (retired || columns_.standing.retired_count() == 0) return nullptr;
  return [this](Slot slot) { return columns_.standing.retired(slot); };
}

Index::Names UserIndex::names(bool retired) const {
  const FairSharedMutex::WritersOut alone(mutex_);
  const UserColumns& c = columns_;
  HashSet<StringPool::Symbol> speakers;
  c.attributes.for_each_speaker([&](StringPool::Symbol speaker) { speakers.insert(speaker); });
  if (retired && c.standing.retired_count() > 0) {
    c.live.for_each([&](Slot slot) {
      if (c.standing.retired(slot)) speakers.insert(c.attributes.speaker(slot));
    });
    speakers.erase(StringPool::kNone);
  }
  Index::Names names;
  for (const StringPool::Symbol speaker : speakers) names.speakers.emplace_back(c.attributes.text(speaker));
  std::sort(names.speakers.begin(), names.speakers.end());
  names.tags = c.tags.names(hides_retired(retired));
  return names;
}

uint64_t UserIndex::names_version() const {
  const std::shared_lock reading(mutex_);
  return names_version_;
}

// No two of the process are equal, so that what somebody kept of a user is not taken for that of the same one read anew.
uint64_t UserIndex::next_names_version() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

// To be called with the record in place. May one of its tags be there, among what is believed, only with it or only
// without it? Where that would take long to find out, true.
bool UserIndex::may_turn_tags(Slot slot) const {
  const UserColumns& c = columns_;
  if (c.standing.retired_count() == 0) return false;
  for (const TagId tag : c.tags.tags_of(slot)) {
    const TagDag::Slots& records = c.tags.records(tag);
    size_t looked = 0;
    auto other = records.begin();
    while (other != records.end() && looked++ < kTriedOthers && (*other == slot || c.standing.retired(*other))) ++other;
    if (other == records.end() || looked > kTriedOthers) return true;
  }
  return false;
}

}  // namespace memspan
