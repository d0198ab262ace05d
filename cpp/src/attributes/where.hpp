// The filter language over metadata: {"city": "Oslo", "trip.days": {"$gte": 3}, "$or": [...]}.
//
//   filter    := { key: condition, ... }                  all must hold
//   key       := path | $and | $or | $not
//   path      := names joined by dots; each steps into an object; \. \$ \\ in a name stand for a dot, a dollar, a backslash
//   condition := value                                    the same as {"$eq": value}
//              | { operator: operand, ... }               all must hold
//   operator  := $eq $ne $gt $gte $lt $lte $in $nin $contains $exists $and $or $not
//
// A missing field is different from every value, null included: only $ne, $nin, {"$exists": false} and $not hold for
// it. Numbers compare by value whether written 1 or 1.0; booleans are not numbers. $gt and its kin compare two numbers
// or two strings (by code point) and never hold for a mixed pair. $eq compares lists and objects as a whole.
// $contains holds for a list with such an element and for a string with such a substring.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "attributes/field_codes.hpp"
#include "attributes/field_keys.hpp"

namespace memspan {

class Where {
 public:
  // Parses the filter's JSON text. Throws InvalidWhere, naming the place and what is accepted there.
  explicit Where(std::string_view text);
  Where(Where&&) noexcept;
  ~Where();

  // O(size of the filter x depth of its paths). Thread-safe.
  bool matches(const json::object& metadata) const;

  // A field that has one of these codes, or a key in this range, in all metadata that matches.
  struct Equal {
    const FieldPath* path;  // of this filter
    std::vector<FieldCode> codes;
  };
  struct Within {
    const FieldPath* path;
    KeyRange range;
  };
  std::span<const Equal> equal() const { return equal_; }
  std::span<const Within> within() const { return within_; }
  // Nothing else is wanted than what within() is for.
  bool only_within() const { return only_within_; }

 private:
  std::unique_ptr<struct WhereNode> root_;
  std::vector<Equal> equal_;
  std::vector<Within> within_;
  bool only_within_;
};

}  // namespace memspan
