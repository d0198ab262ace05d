#include "query/refusals.hpp"

#include <algorithm>
#include <vector>

#include "query/column_filters.hpp"
#include "timeline/intervals.hpp"

namespace memspan {
namespace {

constexpr size_t kShownRefusals = 10;

class Refuser {
 public:
  Refuser(const UserColumns& user, const PreparedQuery& prepared, Refusals& refusals)
      : user_(user), prepared_(prepared), filters_(user, prepared), refusals_(refusals), left_(user.live) {}

  Bitset run() {
    const Query& query = *prepared_.query;
    refuse_if(Filter::between, prepared_.intervals.has_value(),
              [&](Slot slot) { return find_interval(*prepared_.intervals, user_.ats[slot]) == nullptr; });
    for (const bool vault : {false, true}) {
      refuse_if(vault ? Filter::vault : Filter::kinds, filters_.refuses_some_kind(vault),
                [&](Slot slot) { return filters_.refuses_kind_of(slot, vault); });
    }
    for (const std::string& name : prepared_.require_tags) {
      const auto tag = user_.tags.find(name);
      refuse_if(Filter::require_tags, true, [&](Slot slot) { return !tag || !carries(slot, *tag); });
    }
    const Standing& standing = user_.standing;
    refuse_if(Filter::retired, standing.retired_count() > 0 && !query.as_of && !query.valid_at,
              [&](Slot slot) { return standing.retired(slot); });
    refuse_if(Filter::expired, standing.any_expired(now_), [&](Slot slot) { return is_expired(slot); });
    refuse_if(Filter::as_of, query.as_of.has_value(),
              [&](Slot slot) { return !filters_.believed_at(slot, *query.as_of); });
    refuse_if(Filter::valid_at, query.valid_at.has_value(),
              [&](Slot slot) { return !filters_.valid_at(slot, *query.valid_at); });
    refuse_if(Filter::where, prepared_.where.has_value(), [&](Slot slot) { return !filters_.matches_where(slot); });
    exclude(query.exclude);
    return std::move(left_);
  }

 private:
  bool is_expired(Slot slot) const { return user_.attributes.states().expires_at(slot) <= now_; }
  bool carries(Slot slot, TagId tag) const { return user_.tags.tags_of(slot).contains(tag); }

  template <typename Refused>
  void refuse_if(Filter filter, bool active, Refused refused) {
    if (!active) return;
    std::vector<Slot> gone;
    left_.keep_if([&](Slot slot) {
      const bool kept = !refused(slot);
      if (!kept) gone.push_back(slot);
      return kept;
    });
    note(filter, gone);
  }

  void exclude(const std::vector<std::string>& ids) {
    std::vector<Slot> gone;
    for (const std::string& id : ids) {
      const Slot slot = user_.ids.find(id);
      if (slot == kNoSlot || !left_.test(slot)) continue;
      left_.reset(slot);
      gone.push_back(slot);
    }
    note(Filter::exclude, gone);
  }

  void note(Filter filter, std::vector<Slot>& gone) {
    Refusal& refusal = refusals_[static_cast<size_t>(filter)];
    refusal.count += static_cast<uint32_t>(gone.size());
    // Not even the ids of vault records are shown unless the query names the kind, nor those of what is as good as erased.
    std::erase_if(gone, [this](Slot slot) { return filters_.refuses_kind_of(slot, true) || is_expired(slot); });
    const size_t shown = std::min(gone.size(), kShownRefusals - std::min(kShownRefusals, refusal.ids.size()));
    std::partial_sort(gone.begin(), gone.begin() + static_cast<std::ptrdiff_t>(shown), gone.end(), user_.recency());
    for (size_t i = 0; i < shown; ++i) refusal.ids.emplace_back(user_.ids[gone[i]]);
  }

  const UserColumns& user_;
  const PreparedQuery& prepared_;
  const ColumnFilters filters_;
  const Micros now_ = wall_clock();
  Refusals& refusals_;
  Bitset left_;
};

}  // namespace

Bitset find_refusals(const UserColumns& user, const PreparedQuery& prepared, Refusals& refusals) {
  return Refuser(user, prepared, refusals).run();
}

}  // namespace memspan
