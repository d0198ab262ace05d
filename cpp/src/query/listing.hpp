// The newest records of a user that are believed and have not expired, for a query whose only filter, if any, is time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "index/user_columns.hpp"
#include "memspan/query.hpp"

namespace memspan {

// Replaces what `hits` holds, whose memory is used again, by the newest k records within the merged intervals, or at any
// time: a walk back from the end of each interval, which needs neither the number of admissible records nor a list of
// candidates. The hits are those of a listing through the symbolic view. O(k + what is passed over + log n for each
// interval).
void list_by_time(const UserColumns& user, const std::optional<std::span<const Interval>>& intervals, size_t k,
                  std::vector<Hit>& hits);

}  // namespace memspan
