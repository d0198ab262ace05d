// The filters that look at one record's columns: kinds, times of learning and of validity, metadata.
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
  bool only_kinds() const {
    const Query& query = *prepared_.query;
    return refuses_kinds_ && !query.as_of && !query.valid_at && !prepared_.where;
  }

  bool admits(Slot slot) const {
    const Query& query = *prepared_.query;
    return admits_kind(slot) && !(query.as_of && learnt_after(slot, *query.as_of)) &&
           !(query.valid_at && !valid_at(slot, *query.valid_at)) && !(prepared_.where && !matches_where(slot));
  }

  bool admits_kind(Slot slot) const { return prepared_.kinds[static_cast<size_t>(user_.attributes.kind(slot))]; }
  bool learnt_after(Slot slot, Micros time) const { return user_.attributes.recorded_at(slot) > time; }
  bool valid_at(Slot slot, Micros time) const {
    return user_.ats[slot] <= time && user_.attributes.until(slot) > time;
  }
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
  const UserColumns& user_;
  const PreparedQuery& prepared_;
  bool refuses_kinds_;
};

}  // namespace memspan
