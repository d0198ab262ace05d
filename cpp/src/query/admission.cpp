#include "query/admission.hpp"

#include <algorithm>
#include <span>

namespace memspan {
namespace {

constexpr size_t kShownRefusals = 10;

class Admitter {
 public:
  Admitter(const UserColumns& user, const PreparedQuery& prepared) : user_(user), prepared_(prepared) {}

  Admission run() {
    const Query& query = *prepared_.query;
    if (!anything_to_filter()) {
      admission_.all = true;
      admission_.count = user_.live_count();
      return std::move(admission_);
    }
    start();
    refuse_if(Filter::kinds, has_kind_filter(false), [&](Slot slot) { return kind_refused(slot, false); });
    refuse_if(Filter::vault, has_kind_filter(true), [&](Slot slot) { return kind_refused(slot, true); });
    for (const std::string& tag : prepared_.require_tags) require_tag(tag);
    refuse_if(Filter::as_of, query.as_of.has_value(),
              [&](Slot slot) { return user_.attributes.recorded_at(slot) > *query.as_of; });
    refuse_if(Filter::valid_at, query.valid_at.has_value(), [&](Slot slot) {
      return user_.ats[slot] > *query.valid_at || user_.attributes.until(slot) <= *query.valid_at;
    });
    refuse_if(Filter::where, prepared_.where.has_value(),
              [&](Slot slot) { return !prepared_.where->matches(user_.attributes.metadata(slot)); });
    exclude_ids();
    admission_.count = bits().count();
    return std::move(admission_);
  }

 private:
  Bitset& bits() { return admission_.bits; }

  bool anything_to_filter() const {
    const Query& query = *prepared_.query;
    return user_.slots() != user_.live_count() || prepared_.intervals || has_kind_filter(false) ||
           has_kind_filter(true) || !prepared_.require_tags.empty() || query.as_of || query.valid_at ||
           prepared_.where || !query.exclude.empty();
  }

  // Is there a record that the choice of kinds refuses? The vault is counted apart from the other kinds.
  bool has_kind_filter(bool vault) const {
    for (size_t kind = 0; kind < kKindCount; ++kind) {
      const bool is_vault = static_cast<Kind>(kind) == Kind::vault;
      if (is_vault == vault && !prepared_.kinds[kind] && user_.attributes.count(static_cast<Kind>(kind)) > 0) return true;
    }
    return false;
  }
  bool kind_refused(Slot slot, bool vault) const {
    const Kind kind = user_.attributes.kind(slot);
    return (kind == Kind::vault) == vault && !prepared_.kinds[static_cast<size_t>(kind)];
  }

  void start() {
    if (!prepared_.intervals) {
      bits() = user_.live;
      return;
    }
    bits().assign(user_.slots(), false);
    for (const Interval& interval : *prepared_.intervals) {
      for (const Timeline::Entry& entry : user_.timeline.within(interval)) bits().set(entry.slot);
    }
    if (prepared_.query->explain) {
      Bitset outside = user_.live;
      outside.keep_if([&](Slot slot) { return !bits().test(slot); });
      note(Filter::between, outside);
    }
  }

  template <typename Refused>
  void refuse_if(Filter filter, bool active, Refused refused) {
    if (!active) return;
    if (!prepared_.query->explain) {
      bits().keep_if([&](Slot slot) { return !refused(slot); });
      return;
    }
    Bitset gone = bits();
    bits().keep_if([&](Slot slot) { return !refused(slot); });
    gone.keep_if([&](Slot slot) { return !bits().test(slot); });
    note(filter, gone);
  }

  void require_tag(const std::string& name) {
    Bitset carriers;
    carriers.assign(user_.slots(), false);
    if (const auto tag = user_.tags.find(name)) {
      for (Slot slot : user_.tags.records(*tag)) carriers.set(slot);
    }
    if (prepared_.query->explain) {
      refuse_if(Filter::require_tags, true, [&](Slot slot) { return !carriers.test(slot); });
    } else {
      bits().intersect(carriers);
    }
  }

  void exclude_ids() {
    Bitset gone;
    gone.assign(user_.slots(), false);
    for (const std::string& id : prepared_.query->exclude) {
      const Slot slot = user_.ids.find(id);
      if (slot == kNoSlot || !bits().test(slot)) continue;
      bits().reset(slot);
      gone.set(slot);
    }
    if (prepared_.query->explain) note(Filter::exclude, gone);
  }

  void note(Filter filter, const Bitset& gone) {
    Refusal& refusal = admission_.refused[static_cast<size_t>(filter)];
    refusal.count += static_cast<uint32_t>(gone.count());
    std::vector<Slot> slots;
    // Not even the ids of vault records are shown unless the query names the kind.
    gone.for_each([&](Slot slot) {
      if (!kind_refused(slot, true)) slots.push_back(slot);
    });
    const size_t shown = std::min(slots.size(), kShownRefusals - std::min(kShownRefusals, refusal.ids.size()));
    std::partial_sort(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(shown), slots.end(), user_.recency());
    for (size_t i = 0; i < shown; ++i) refusal.ids.emplace_back(user_.ids[slots[i]]);
  }

  const UserColumns& user_;
  const PreparedQuery& prepared_;
  Admission admission_;
};

}  // namespace

Admission admit(const UserColumns& user, const PreparedQuery& prepared) { return Admitter(user, prepared).run(); }

}  // namespace memspan
