// The users of an index by name.
//
// Thread safety: every member function takes the table's lock itself, for as long as it takes to find, add or drop one
// entry or to copy a few of them; nothing that happens to a user's records happens under it. Adding a user moves no
// others, so that no call waits for a growing table.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"
#include "base/hash_index.hpp"
#include "index/user_index.hpp"

namespace memspan {

class UserTable {
 public:
  using User = std::shared_ptr<UserIndex>;

  // Null if there is none. O(1).
  User find(std::string_view name) const;
  User find_or_create(std::string_view name, size_t dim);
  // False if the name is taken.
  bool add(std::string_view name, User user);
  // Returns the user, or null. Calls in progress keep theirs.
  User take(std::string_view name);

  struct Entry {
    std::string name;
    User user;
  };
  std::vector<Entry> all() const;  // of one moment, in no order
  size_t size() const;
  size_t bytes() const;  // of the table and the names

 private:

  uint32_t find_entry(std::string_view name, uint32_t hash) const;
  void insert(std::string_view name, uint32_t hash, User user);

  mutable std::shared_mutex mutex_;
  ChunkedVector<Entry, 128> entries_;  // without gaps
  HashIndex index_;                    // of the names
};

}  // namespace memspan
