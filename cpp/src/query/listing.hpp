// The newest records of a user, by a walk back through the timeline: those that are believed and have not expired, for a
// query whose only filter, if any, is time, and those that a query's filters admit, where they are soon found.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "index/user_columns.hpp"
#include "memspan/query.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

// Replaces what `hits` holds, whose memory is used again, by the newest k records within the merged intervals, or at any
// time: a walk back from the end of each interval, which needs neither the number of admissible records nor a list of
// candidates. The hits are those of a listing through the symbolic view. O(k + what is passed over + log n for each
// interval).
void list_by_time(const UserColumns& user, const std::optional<std::span<const Interval>>& intervals, size_t k,
                  std::vector<Hit>& hits, const UseCounter& uses = {});

// Does the same for a listing with any filters, if its hits are among the newest records at its times, of which one in 128 is
// looked at: O(those + log n for each interval). False if not, or if that is not to be expected, and then `hits` is left
// alone: all that the filters admit has to be found, which reads every record. `newest` is memory to use again.
bool list_by_filters(const UserColumns& user, const PreparedQuery& prepared, std::vector<Slot>& newest, std::vector<Hit>& hits,
                     const UseCounter& uses);

}  // namespace memspan
