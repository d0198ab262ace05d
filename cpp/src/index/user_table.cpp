#include "index/user_table.hpp"

#include <mutex>

namespace memspan {

uint32_t UserTable::find_entry(std::string_view name, uint32_t hash) const {
  return index_.find(hash, [&](uint32_t entry) { return entries_[entry].name == name; });
}

UserTable::User UserTable::find(std::string_view name) const {
  const uint32_t hash = HashIndex::hash(name);
  const std::shared_lock reading(mutex_);
  const uint32_t entry = find_entry(name, hash);
  return entry == HashIndex::kNone ? nullptr : entries_[entry].user;
}

void UserTable::insert(std::string_view name, uint32_t hash, User user) {
  entries_.push_back({std::string(name), std::move(user)});
  try {
    index_.insert(hash, static_cast<uint32_t>(entries_.size() - 1));
  } catch (...) {
    entries_.pop_back();
    throw;
  }
}

UserTable::User UserTable::find_or_create(std::string_view name, size_t dim) {
  if (User found = find(name)) return found;
  User created = std::make_shared<UserIndex>(dim);
  const uint32_t hash = HashIndex::hash(name);
  const std::unique_lock writing(mutex_);
  const uint32_t entry = find_entry(name, hash);
  if (entry != HashIndex::kNone) return entries_[entry].user;
  insert(name, hash, created);
  return created;
}

bool UserTable::add(std::string_view name, User user) {
  const uint32_t hash = HashIndex::hash(name);
  const std::unique_lock writing(mutex_);
  if (find_entry(name, hash) != HashIndex::kNone) return false;
  insert(name, hash, std::move(user));
  return true;
}

UserTable::User UserTable::take(std::string_view name) {
  const uint32_t hash = HashIndex::hash(name);
  const std::unique_lock writing(mutex_);
  const uint32_t entry = find_entry(name, hash);
  if (entry == HashIndex::kNone) return nullptr;
  // The last entry moves into the gap. Its new place is noted first, because that may need memory.
  const auto last = static_cast<uint32_t>(entries_.size() - 1);
  const uint32_t last_hash = HashIndex::hash(entries_[last].name);
  if (entry != last) index_.insert(last_hash, entry);
  User taken = std::move(entries_[entry].user);
  index_.erase(hash, entry);
  if (entry != last) {
    index_.erase(last_hash, last);
    entries_[entry] = std::move(entries_[last]);
  }
  entries_.pop_back();
  return taken;
}

std::vector<UserTable::Entry> UserTable::all() const {
  const std::shared_lock reading(mutex_);
  std::vector<Entry> users;
  users.reserve(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) users.push_back(entries_[i]);
  return users;
}

size_t UserTable::size() const {
  const std::shared_lock reading(mutex_);
  return entries_.size();
}

size_t UserTable::bytes() const {
  const std::shared_lock reading(mutex_);
  size_t total = entries_.bytes() + index_.bytes();
  for (size_t i = 0; i < entries_.size(); ++i) {
    const std::string& name = entries_[i].name;
    total += name.capacity() > std::string().capacity() ? name.capacity() + 1 : 0;
  }
  return total;
}

}  // namespace memspan
