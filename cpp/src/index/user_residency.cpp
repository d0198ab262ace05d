// UserTable: how users come into memory and leave it.
#include <algorithm>

#include "index/user_table.hpp"

namespace memspan {
namespace {

// Users met who are held before somebody who makes room gives up: the next one goes on with those behind. A call that holds
// many, as a batch does, would otherwise pass over all of them after each of its writes.
constexpr size_t kMostHeld = 256;

}  // namespace

void UserTable::settle(uint32_t number, User user) {
  rows_[number].user = std::move(user);
  if (limit_ == 0) return;
  rows_[number].user->note_use();
  resident_.add(number, rows_[number].user->last_use());
}

UserTable::User UserTable::unsettle(uint32_t number) {
  Row& row = rows_[number];
  if (resident_.contains(number)) {
    resident_.remove(number);
    count(row, 0);
  }
  return std::move(row.user);
}

void UserTable::count(Row& row, size_t bytes) {
  resident_bytes_ += bytes - row.bytes;
  row.bytes = bytes;
}

UserTable::User UserTable::fetch(std::string_view name, uint64_t hash) {
  User user;
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      const uint32_t found = find_row(name, hash);
      if (found == HashCells::kNone) return nullptr;
      Row& row = rows_[found];
      if (row.user) return row.user;
      if (!row.passage) {
        user = load(name, hash, lock, row);
        break;
      }
      const std::shared_ptr<Passage> passage = row.passage;
      if (passage->leaving) {
        settle(found, passage->leaving);
        count(row, passage->bytes);
        row.passage.reset();
        return row.user;
      }
      passage->arrived.wait(lock, [&] { return passage->over; });
      if (passage->failure) std::rethrow_exception(passage->failure);
    }
  }
  make_room();
  return user;
}

// Reads a user without the lock, while others who ask for the same one wait. Null if it was forgotten meanwhile.
UserTable::User UserTable::load(std::string_view name, uint64_t hash, std::unique_lock<std::shared_mutex>& lock, Row& row) {
  const auto passage = row.passage = std::make_shared<Passage>();
  const Image image = row.image;
  const std::string uses = row.uses ? *row.uses : std::string();
  lock.unlock();
  User user;
  size_t bytes = 0;
  uint64_t changes = 0;
  uint64_t written = 0;
  std::exception_ptr failure;
  try {
    user = image->load(shape_);
    if (!uses.empty()) user->load_uses(uses);
    if (tracks_uses_) user->start_counting();  // before anybody finds it, and before its bytes are counted
    bytes = user->bytes();
    changes = user->changes();
    written = user->written();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  const uint32_t found = find_row(name, hash);
  const bool still_there = found != HashCells::kNone && rows_[found].passage == passage;
  if (still_there) {
    rows_[found].passage.reset();
    if (user) {
      settle(found, user);
      count(rows_[found], bytes);
      rows_[found].image_changes = static_cast<uint32_t>(changes);
      rows_[found].image_written = static_cast<uint32_t>(written);
      // An image in memory that cannot be put away again would only be kept for nothing.
      if (limit_ == 0) rows_[found].image.reset();
    }
  }
  passage->over = true;
  passage->failure = failure;
  passage->arrived.notify_all();
  if (failure) std::rethrow_exception(failure);
  return still_there ? user : nullptr;
}

void UserTable::count_if_due(std::string_view name, const User& user) {
  if (limit_ == 0 || !user->due_for_counting()) return;
  const size_t bytes = user->bytes();
  {
    const std::unique_lock lock(mutex_);
    const uint32_t found = find_row(name, StringHash()(name));
    if (found == HashCells::kNone || rows_[found].user != user) return;
    count(rows_[found], bytes);
  }
  make_room();
}

void UserTable::make_room() {
  if (limit_ == 0 || resident_bytes_ <= limit_) return;
  const std::lock_guard one_at_a_time(making_room_);
  size_t held = 0;
  while (resident_bytes_ > limit_ && put_one_away(held)) {
  }
}

// The least recently used, of those whom nobody holds. `held` counts those met who are. None is found if all are, or if so
// many had been used since they were filed that others should have the lock for a while.
std::optional<uint32_t> UserTable::next_to_leave(size_t& held) {
  constexpr size_t kFiledAtOnce = 64;  // some ten microseconds
  for (size_t filed = 0; filed < kFiledAtOnce && held < resident_.size(); ++filed) {
    const uint32_t first = resident_.first();
    const User& user = rows_[first].user;
    // While the table is locked nobody can come to hold a user that nobody holds, but the thread that consolidates;
    // and to lose a new layout does no harm.
    if (user.use_count() != 1) {
      ++held;
      user->note_use();
    } else if (user->last_use() == resident_.first_use()) {
      return first;
    }
    resident_.file_first(user->last_use());
  }
  return std::nullopt;
}

// False if everybody who was met is in use, or the file cannot be written: then memory is used beyond the limit, because
// an answer is worth more than it.
bool UserTable::put_one_away(size_t& held) {
  std::string name;
  User leaving;  // also destroyed without the lock
  std::shared_ptr<Passage> passage;
  bool only_used = false;
  {
    const std::unique_lock lock(mutex_);
    const std::optional<uint32_t> number = next_to_leave(held);
    if (!number) return held < std::min(resident_.size(), kMostHeld);
    held = 0;
    Row& row = rows_[*number];
    const bool unchanged = row.image && row.image_changes == static_cast<uint32_t>(row.user->changes());
    if (!unchanged) {
      only_used = row.image && row.image_written == static_cast<uint32_t>(row.user->written());
      name = row.name;
      passage = std::make_shared<Passage>();
      passage->bytes = row.bytes;
    }
    leaving = unsettle(*number);
    if (unchanged) return true;
    passage->leaving = leaving;
    row.passage = passage;
  }
  SpillFile::Spilled spilled;
  Uses uses;
  try {
    if (only_used) uses = leaving->save_uses();
    if (!uses) spilled = spill_.write(*leaving);
  } catch (...) {
    ++failed_spills_;
    spilled.image.reset();
  }
  const std::unique_lock lock(mutex_);
  const uint32_t found = find_row(name, StringHash()(name));
  if (found == HashCells::kNone || rows_[found].passage != passage) return true;  // taken back, or forgotten
  rows_[found].passage.reset();
  if (uses) {
    rows_[found].uses.swap(uses);
    return true;
  }
  if (spilled.image) {
    rows_[found].uses.swap(uses);
    rows_[found].image.swap(spilled.image);  // the old one is destroyed without the lock
    rows_[found].image_changes = static_cast<uint32_t>(spilled.changes);
    return true;
  }
  settle(found, leaving);
  count(rows_[found], passage->bytes);
  return false;
}

}  // namespace memspan
