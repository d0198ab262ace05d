// The users of an index by name: those in memory, and those that wait in a file until they are asked for.
//
// A user that was loaded from a snapshot, or was put away because memory is limited, is an image (snapshot/user_image.hpp)
// until somebody asks for it. When memory is limited (`Residency`), users that nobody holds are put away, the least
// recently used first. One who did not change since its image was made is dropped, and one of whom searches counted uses
// alone, where these are kept beside the image; any other is written to a spill file.
//
// Thread safety: every member function takes the table's lock itself, for as long as it takes to find, add or drop one
// entry or to copy a few of them; nothing that happens to a user's records happens under it, nor any reading or
// writing of files. Adding a user moves no others, so that no call waits for a growing table.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/hash_map.hpp"
#include "base/prefetch.hpp"
#include "index/use_order.hpp"
#include "index/user_index.hpp"
#include "memspan/index.hpp"
#include "snapshot/spill_file.hpp"
#include "snapshot/user_image.hpp"

namespace memspan {

class UserTable {
 public:
  using User = std::shared_ptr<UserIndex>;
  using Image = std::shared_ptr<const UserImage>;
  using Uses = std::unique_ptr<const std::string>;  // UserIndex::save_uses

  // Throws InvalidArgument if memory is limited and nobody can be put away.
  explicit UserTable(const RowShape& shape, const Residency& residency = {})
      : shape_(shape), limit_(residency.max_bytes), spill_(residency.spill_directory) {
    if (limit_ != 0) spill_.check_directory();
  }

  // From now on every user in memory counts uses. Not to be called while other calls run.
  void track_uses();

  // Null if there is none. O(1) for a user in memory; loads others: throws CorruptSnapshot, FileError or std::bad_alloc.
  User find(std::string_view name);
  // Calls visit(user) for a user in memory if nobody has to be waited for; the user stays while it runs, which must be
  // short. False if there is no such user, or else what visit tells.
  template <typename Visit>
  bool try_visit(std::string_view name, Visit visit) {
    const std::shared_lock reading(mutex_, std::try_to_lock);
    if (!reading) return false;
    const uint32_t row = find_row(name, StringHash()(name));
    if (row == HashCells::kNone || !rows_[row].user) return false;
    const UserIndex& user = *rows_[row].user;
    prefetch_whole(user);
    if (limit_ != 0) user.note_use();
    return visit(user);
  }
  User find_or_create(std::string_view name);
  // A user to be loaded when it is asked for. False if the name is taken.
  bool add(std::string_view name, Image image);
  struct Taken {
    User user;  // one of both, or neither
    Image image;
  };
  // Calls in progress keep the user.
  Taken take(std::string_view name);
  // Takes out a user, who may have lost all or whom a write was refused for, if it has nothing and nobody else holds it.
  // Without a user: nothing.
  void drop_if_unused(std::string_view name, User&& user);

  // To be called after a write to a user, and after a search that may have given fields of its metadata columns or tags
  // vectors: takes note of its memory and, when the limit is passed, puts others away. O(1) most times.
  void count_if_due(std::string_view name, const User& user);

  struct Entry {
    std::string name;
    User user;    // null: not in memory
    Image image;  // null, or of some past state where there is a user
    std::string uses;  // what has come to the image since (UserIndex::save_uses), if anything

    bool empty() const { return user ? user->empty() : image->summary().empty(); }  // O(1)
    UserSummary summary() const { return user ? UserSummary::of(user->stats()) : image->summary(); }
  };
  std::vector<Entry> all() const;  // of one moment, in no order
  size_t size() const;
  size_t bytes() const;  // of the table and the names
  uint64_t failed_spills() const { return failed_spills_; }

 private:
  // A user on the way between file and memory. The table's lock guards it.
  struct Passage {
    User leaving;  // being put away: whoever asks takes it back. Null: being loaded
    size_t bytes = 0;  // of it, as they were counted last: to add them up takes too long for the table's lock
    bool over = false;
    std::exception_ptr failure;
    std::condition_variable_any arrived;
  };
  struct Row {
    std::string name;
    User user;
    Image image;
    Uses uses;                         // of the image's records since; null: none
    std::shared_ptr<Passage> passage;  // only without a user
    uint32_t image_changes = 0;        // the last bits of UserIndex::changes() of the image, and uses,
    uint32_t image_written = 0;        // and of UserIndex::written()
    size_t bytes = 0;                  // counted in resident_bytes_
  };

  struct HashOfName {
    const ChunkedVector<Row, 128>& rows;
    uint64_t operator()(uint32_t row) const { return StringHash()(rows[row].name); }
    void prefetch(uint32_t row) const { prefetch_line(&rows[row]); }
  };

  uint32_t find_row(std::string_view name, uint64_t hash) const;
  uint32_t insert(std::string_view name, uint64_t hash);
  void erase(uint32_t row, uint64_t hash);  // the name
  User fetch(std::string_view name, uint64_t hash);
  User load(std::string_view name, uint64_t hash, std::unique_lock<std::shared_mutex>& lock, Row& row);

  // All with the lock held.
  void settle(uint32_t row, User user);  // is in memory from now on
  User unsettle(uint32_t row);
  void count(Row& row, size_t bytes);
  std::optional<uint32_t> next_to_leave(size_t& held);

  void make_room();
  bool put_one_away(size_t& held);

  const RowShape shape_;
  const size_t limit_;  // 0: none
  bool tracks_uses_ = false;
  mutable std::shared_mutex mutex_;
  ChunkedVector<Row, 128> rows_;  // without gaps
  HashCells cells_;               // of the names

  // Only where memory is limited.
  std::mutex making_room_;          // taken before mutex_
  UseOrder resident_;               // rows with a user
  std::atomic<size_t> resident_bytes_ = 0;
  std::atomic<uint64_t> failed_spills_ = 0;
  SpillFile spill_;
};

}  // namespace memspan
