#include "index/user_table.hpp"

#include <algorithm>

namespace memspan {

uint32_t UserTable::find_row(std::string_view name, uint64_t hash) const {
  return cells_.find(hash, [&](uint32_t row) { return rows_[row].name == name; });
}

void UserTable::track_uses() {
  tracks_uses_ = true;
  for (const Entry& entry : all()) {
    if (entry.user) entry.user->start_counting();
  }
}

UserTable::User UserTable::find(std::string_view name) {
  const uint64_t hash = StringHash()(name);
  {
    const std::shared_lock reading(mutex_);
    const uint32_t row = find_row(name, hash);
    if (row == HashCells::kNone) return nullptr;
    if (const User& user = rows_[row].user) {
      if (limit_ != 0) user->note_use();
      return user;
    }
  }
  return fetch(name, hash);
}

uint32_t UserTable::insert(std::string_view name, uint64_t hash) {
  Row row;
  row.name = name;
  // Settling then needs no memory.
  if (limit_ != 0 && resident_.reserved() <= rows_.size()) resident_.reserve(16 + 2 * rows_.size());
  rows_.push_back(std::move(row));
  try {
    cells_.put(hash, static_cast<uint32_t>(rows_.size() - 1), HashOfName{rows_});
  } catch (...) {
    rows_.pop_back();
    throw;
  }
  return static_cast<uint32_t>(rows_.size() - 1);
}

UserTable::User UserTable::find_or_create(std::string_view name) {
  const uint64_t hash = StringHash()(name);
  for (;;) {
    if (User found = find(name)) return found;
    User created = std::make_shared<UserIndex>(shape_);
    if (tracks_uses_) created->start_counting();
    const std::unique_lock writing(mutex_);
    if (find_row(name, hash) != HashCells::kNone) continue;  // came meanwhile
    settle(insert(name, hash), created);
    return created;
  }
}

bool UserTable::add(std::string_view name, Image image) {
  const uint64_t hash = StringHash()(name);
  const std::unique_lock writing(mutex_);
  if (find_row(name, hash) != HashCells::kNone) return false;
  rows_[insert(name, hash)].image = std::move(image);
  return true;
}

UserTable::Taken UserTable::take(std::string_view name) {
  const uint64_t hash = StringHash()(name);
  const std::unique_lock writing(mutex_);
  const uint32_t found = find_row(name, hash);
  if (found == HashCells::kNone) return {};
  Row& row = rows_[found];
  Taken taken;
  if (row.user) {
    taken.user = unsettle(found);
  } else if (row.passage && row.passage->leaving) {
    taken.user = row.passage->leaving;
  } else {
    taken.image = row.image;
  }
  erase(found, hash);
  return taken;
}

void UserTable::erase(uint32_t row, uint64_t hash) {
  cells_.erase(hash, row, HashOfName{rows_});
  const auto last = static_cast<uint32_t>(rows_.size() - 1);
  if (row != last) {  // the last row moves into the gap
    cells_.renumber(StringHash()(rows_[last].name), last, row);
    rows_[row] = std::move(rows_[last]);
    if (limit_ != 0) resident_.renumber(last, row);
  }
  rows_.pop_back();
}

void UserTable::drop_if_unused(std::string_view name, User&& user) {
  User mine = std::move(user);  // goes without the lock
  if (!mine) return;
  const uint64_t hash = StringHash()(name);
  const std::unique_lock writing(mutex_);
  const uint32_t row = find_row(name, hash);
  constexpr long kTableAndCaller = 2;
  if (row == HashCells::kNone || rows_[row].user != mine) return;
  if (mine.use_count() > kTableAndCaller || !mine->empty()) return;
  unsettle(row);
  erase(row, hash);
}

std::vector<UserTable::Entry> UserTable::all() const {
  const std::shared_lock reading(mutex_);
  std::vector<Entry> users;
  users.reserve(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    users.push_back({row.name, row.passage && row.passage->leaving ? row.passage->leaving : row.user, row.image, row.uses ? *row.uses : std::string()});
  }
  return users;
}

size_t UserTable::size() const {
  const std::shared_lock reading(mutex_);
  return rows_.size();
}

size_t UserTable::bytes() const {
  const std::shared_lock reading(mutex_);
  size_t total = rows_.bytes() + cells_.bytes() + resident_.bytes();
  for (size_t i = 0; i < rows_.size(); ++i) {
    const std::string& name = rows_[i].name;
    total += name.capacity() > std::string().capacity() ? name.capacity() + 1 : 0;
    if (rows_[i].image) total += sizeof(UserImage) + 4 * sizeof(void*);
    if (rows_[i].uses) total += sizeof(std::string) + rows_[i].uses->capacity();
  }
  return total;
}

}  // namespace memspan
