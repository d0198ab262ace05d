// The filters that look at one record's columns: kinds, metadata, and the times of belief and of validity, for which
// time_filter.hpp knows more.
#pragma once

#include "index/user_columns.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

class ColumnFilters {
 public:
  ColumnFilters(const UserColumns& user, const PreparedQuery& prepared)
      : user_(user), prepared_(prepared), refuses_kinds_(refuses_some_kind(false) || refuses_some_kind(true)) {}

  // Could a record be refused? The counts of the kinds tell without a look at the records.
  bool any() const {
    const Query& query = *prepared_.query;
    return refuses_kinds_ || query.as_of || query.valid_at || prepared_.where;
  }
  bool refuses_kinds() const { return refuses_kinds_; }

  bool admits_kind(Slot slot) const { return prepared_.kinds[static_cast<size_t>(user_.attributes.kind(slot))]; }
  // Leaves in a set of records those of the kinds that are admitted. O(slots / 64).
  void keep_kinds(Bitset& records) const { user_.attributes.of_kinds().keep(prepared_.kinds, records); }
  bool believed_at(Slot slot, Micros time) const {
    return user_.attributes.recorded_at(slot) <= time && time < user_.attributes.states().retired_at(slot);
  }
  bool valid_at(Slot slot, Micros time) const { return user_.ats[slot] <= time && time < until(slot); }
  bool matches_where(Slot slot) const { return prepared_.where->matches(user_.attributes.metadata(slot)); }

  // Is there a record that the choice of kinds refuses? The vault is counted apart from the other kinds.
  bool refuses_some_kind(bool vault) const {
    for (size_t k = 0; k < kKindCount; ++k) {
      const auto kind = static_cast<Kind>(k);
      if ((kind == Kind::vault) == vault && !prepared_.kinds[k] && user_.attributes.count(kind) > 0) return true;
    }
    return false;
  }
  bool refuses_kind_of(Slot slot, bool vault) const {
    return (user_.attributes.kind(slot) == Kind::vault) == vault && !admits_kind(slot);
  }

 private:
  // As it is known now, or as it was known as of the query's time: what was retired later had its old end then.
  Micros until(Slot slot) const {
    const Attributes& attributes = user_.attributes;
    const std::optional<Micros>& as_of = prepared_.query->as_of;
    const bool ended_later = as_of && user_.standing.retired(slot) && *as_of < attributes.states().retired_at(slot);
    return ended_later ? until_before_retirement(attributes.metadata(slot)) : attributes.until(slot);
  }

  const UserColumns& user_;
  const PreparedQuery& prepared_;
  bool refuses_kinds_;
};

}  // namespace memspan
