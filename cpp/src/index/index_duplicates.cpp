// Index::duplicates: checks, and the user.
#include <string>

#include "index/user_index.hpp"
#include "index/user_table.hpp"
#include "memspan/error.hpp"
#include "memspan/index.hpp"

namespace memspan {

Duplicates Index::duplicates(std::string_view user, const DuplicateQuery& query) const {
  if (!(query.threshold > 0.0f && query.threshold <= 1.0f)) {
    throw InvalidArgument("threshold", std::to_string(query.threshold), "above 0, at most 1");
  }
  const auto found = find(user);
  return found ? found->duplicates(query) : Duplicates();
}

}  // namespace memspan
