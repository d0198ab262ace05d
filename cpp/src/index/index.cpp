#include "memspan/index.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "base/huge_pages.hpp"
#include "index/auto_consolidation.hpp"
#include "index/quota_table.hpp"
#include "index/user_index.hpp"
#include "index/user_table.hpp"
#include "index/validation.hpp"
#include "memspan/error.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

IndexConfig checked(const IndexConfig& config) {
  check_config(config);
  return config;
}

// All but the tags.
UserIndex::NewRecord checked_record(const RecordInput& input, size_t dim, std::optional<size_t> row) {
  check_record(input, dim, row);
  UserIndex::NewRecord record{input, {}, {}, IdTable::hash(input.id)};
  if (!input.metadata.empty()) record.metadata = parse_json_object(input.metadata, {"metadata", row});
  return record;
}

std::vector<std::string> tags_of(const RecordInput& input, std::optional<size_t> row) {
  return checked_tags(input.tags, {"tags", row}, limits::kTagsPerRecord);
}

// The records of a batch by user, in the order of their coming, and their tags. Of a large batch this is much memory, so
// it is kept apart from what stays.
struct Batch {
  Batch(std::span<const RecordInput> inputs, size_t dim, bool columns) {
    size_t most_tags = 0;
    std::map<std::string_view, size_t> sizes;
    auto size = sizes.end();
    for (const RecordInput& input : inputs) {
      most_tags += input.tags.size();
      if (size == sizes.end() || size->first != input.user) size = sizes.try_emplace(input.user).first;
      ++size->second;
    }
    tags.reserve(most_tags);  // they do not move
    for (const auto& [user, count] : sizes) groups[user].reserve(count);
    auto group = groups.end();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::optional<size_t> row = columns ? std::optional(i) : std::nullopt;
      if (group == groups.end() || group->first != inputs[i].user) group = groups.find(inputs[i].user);
      group->second.push_back(checked_record(inputs[i], dim, row));
      std::vector<std::string> own = tags_of(inputs[i], row);
      group->second.back().tags = {tags.data() + tags.size(), own.size()};
      std::move(own.begin(), own.end(), std::back_inserter(tags));
    }
  }

  huge_pages::PassingVector<std::string> tags;
  std::map<std::string_view, huge_pages::PassingVector<UserIndex::NewRecord>> groups;
};

void refuse_repeated_ids(std::span<const RecordInput> inputs) {
  boost::unordered_flat_map<std::pair<std::string_view, std::string_view>, size_t> seen;
  seen.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto [first, is_new] = seen.emplace(std::pair(inputs[i].user, inputs[i].id), i);
    if (!is_new) {
      throw InvalidArgument(ArgumentName("id", i).text(),
                            "'" + std::string(inputs[i].id) + "' again (first at position " +
                                std::to_string(first->second) + ")",
                            "each id once a user and call");
    }
  }
}

std::vector<float> unit(std::span<const float> embedding, size_t dim) {
  std::vector<float> vector(dim);
  normalize_checked(embedding, dim, "embedding", vector.data());
  return vector;
}

}  // namespace

Index::Index(const IndexConfig& config, const Residency& residency)
    : config_(checked(config)), analyzer_(config.analyzer), quotas_(std::make_unique<QuotaTable>()),
      users_(std::make_unique<UserTable>(RowShape(config.dim, config.row_format), residency)) {}
Index::~Index() = default;

std::shared_ptr<UserIndex> Index::find(std::string_view user) const {
  check_name(user, "user");
  return users_->find(user);
}

std::shared_ptr<UserIndex> Index::find_or_create(std::string_view user) {
  check_name(user, "user");
  return users_->find_or_create(user);
}

void Index::wrote(std::string_view name, const std::shared_ptr<UserIndex>& user) {
  users_->count_if_due(name, user);
  if (auto_) auto_->consider(user);
}

template <typename Result>
Result Index::after_write(std::string_view name, const std::shared_ptr<UserIndex>& user, Result result) {
  users_->count_if_due(name, user);
  return result;
}

// Takes out a user of whom nothing is left: what they had takes memory that only they would use again.
void Index::drop_if_emptied(std::string_view name, std::shared_ptr<UserIndex>&& user) {
  if (user->empty()) users_->drop_if_unused(name, std::move(user));
}

std::vector<Evicted> Index::add(std::span<const RecordInput> records, bool columns, bool enforce) {
  std::vector<Evicted> evicted;
  std::vector<std::string> ids;
  const auto add_to = [&](std::string_view name, const std::shared_ptr<UserIndex>& user,
                          std::span<UserIndex::NewRecord> group, const Quotas& quotas) {
    ids.clear();
    user->add(group, analyzer_, quotas, enforce ? &ids : nullptr);
    wrote(name, user);
    for (std::string& id : ids) evicted.push_back({std::string(name), std::move(id)});
  };
  if (records.size() == 1) {
    const std::optional<size_t> row = columns ? std::optional<size_t>(0) : std::nullopt;
    UserIndex::NewRecord record = checked_record(records.front(), config_.dim, row);
    const std::vector<std::string> tags = tags_of(records.front(), row);
    record.tags = tags;
    const std::string_view name = records.front().user;
    const Quotas quotas = quotas_->of(name);
    auto user = find_or_create(name);
    try {
      add_to(name, user, {&record, 1}, quotas);
    } catch (...) {
      users_->drop_if_unused(name, std::move(user));
      throw;
    }
    return evicted;
  }
  Batch batch(records, config_.dim, columns);
  refuse_repeated_ids(records);
  struct Group {
    std::shared_ptr<UserIndex> user;
    Quotas quotas;
  };
  std::vector<Group> users;
  try {
    for (auto& [name, group] : batch.groups) {
      users.push_back({find_or_create(name), quotas_->of(name)});
      if (enforce) users.back().user->check_room(group, users.back().quotas);
    }
    auto next = users.begin();
    for (auto& [name, group] : batch.groups) {
      add_to(name, next->user, group, next->quotas);
      next++->user.reset();  // who has all that came may leave memory
    }
  } catch (...) {
    auto group = batch.groups.begin();
    for (Group& each : users) users_->drop_if_unused((group++)->first, std::move(each.user));
    throw;
  }
  return evicted;
}

size_t Index::remove(std::string_view user, std::span<const std::string_view> ids) {
  auto found = find(user);
  if (!found) return 0;
  const size_t removed = found->remove(ids);
  wrote(user, found);
  drop_if_emptied(user, std::move(found));
  return removed;
}

size_t Index::forget(std::string_view user) {
  check_name(user, "user");
  quotas_->set(user, std::nullopt);
  const UserTable::Taken forgotten = users_->take(user);
  if (forgotten.user) return forgotten.user->size();
  return forgotten.image ? forgotten.image->summary().records : 0;
}

void Index::set_quotas(std::optional<std::string_view> user, const std::optional<Quotas>& quotas) {
  if (user) check_name(*user, "user");
  quotas_->set(user, quotas);
}

std::optional<Quotas> Index::quotas(std::optional<std::string_view> user) const {
  if (user) check_name(*user, "user");
  return quotas_->own(user);
}

std::vector<std::string> Index::evict(std::string_view user, size_t most) {
  auto found = find(user);
  const Quotas quotas = quotas_->of(user);
  if (!found || !quotas.limit_any()) return {};
  std::vector<std::string> evicted = found->evict(quotas, most);
  wrote(user, found);
  drop_if_emptied(user, std::move(found));
  return evicted;
}

size_t Index::pin(std::string_view user, std::span<const std::string_view> ids, bool pinned) {
  const auto found = find(user);
  return found ? found->pin(ids, pinned) : 0;
}

void Index::track_uses() {
  track_uses_ = true;
  users_->track_uses();
}

size_t Index::note_uses(std::string_view user, std::span<const std::string_view> ids) {
  const auto found = track_uses_ ? find(user) : nullptr;
  return found ? found->note_uses(ids) : 0;
}

Uses Index::take_uses(std::string_view user) const {
  const auto found = find(user);
  return found ? found->take_uses() : Uses();
}

size_t Index::set_uses(std::string_view user, const Uses& uses) {
  if (uses.counts.size() != uses.ids.size() || uses.lasts.size() != uses.ids.size()) {
    throw InvalidArgument("counts", std::to_string(uses.counts.size()) + " counts and " + std::to_string(uses.lasts.size()) + " times",
                          "one for each id");
  }
  const auto found = find(user);
  return found ? after_write(user, found, found->set_uses(uses)) : 0;
}

std::optional<Micros> Index::locate(std::string_view user, std::string_view id) const {
  const auto found = find(user);
  return found ? found->locate(id) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> Index::beside(std::string_view user,
                                                               std::span<const std::string> ids, bool same_kind) const {
  std::vector<std::pair<std::string, std::string>> found(ids.size());
  if (const auto known = find(user)) known->beside(ids, same_kind, found);
  return found;
}

bool Index::relate(std::string_view user, std::string_view parent, std::string_view child) {
  const std::string parent_tag = checked_tag(parent, "parent");
  const std::string child_tag = checked_tag(child, "child");
  auto found = find_or_create(user);
  try {
    return after_write(user, found, found->relate(parent_tag, child_tag));
  } catch (...) {
    users_->drop_if_unused(user, std::move(found));
    throw;
  }
}

bool Index::unrelate(std::string_view user, std::string_view parent, std::string_view child) {
  const std::string parent_tag = checked_tag(parent, "parent");
  const std::string child_tag = checked_tag(child, "child");
  auto found = find(user);
  if (!found) return false;
  const bool removed = after_write(user, found, found->unrelate(parent_tag, child_tag));
  drop_if_emptied(user, std::move(found));
  return removed;
}

std::vector<std::string> Index::expand(std::string_view user, std::span<const std::string> tags, uint32_t depth) const {
  const std::vector<std::string> names = checked_tags(tags, "tags", 1000);
  const auto found = find(user);
  return found ? found->expand(names, depth) : std::vector<std::string>();
}

std::vector<std::pair<std::string, float>> Index::route(std::string_view user, std::span<const float> embedding,
                                                        uint32_t k, RouteMethod method) const {
  const std::vector<float> query = unit(embedding, config_.dim);
  if (k < 1 || k > limits::kTop) {
    throw InvalidArgument("k", std::to_string(k), "1-" + std::to_string(limits::kTop));
  }
  const auto found = find(user);
  std::vector<std::pair<std::string, float>> routed;
  if (!found) return routed;
  routed = found->route(query, k, method);
  users_->count_if_due(user, found);
  return routed;
}

std::vector<TagInfo> Index::tags(std::string_view user, bool retired) const {
  const auto found = find(user);
  return found ? found->tags(retired) : std::vector<TagInfo>();
}

void Index::set_tag_embedding(std::string_view user, std::string_view tag, std::span<const float> embedding) {
  const std::string name = checked_tag(tag, "tag");
  std::vector<float> vector = unit(embedding, config_.dim);
  const auto found = find_or_create(user);
  found->set_tag_embedding(name, std::move(vector));
  users_->count_if_due(user, found);
}

bool Index::rename_tag(std::string_view user, std::string_view old_name, std::string_view new_name) {
  const std::string old_tag = checked_tag(old_name, "old");
  const std::string new_tag = checked_tag(new_name, "new");
  const auto found = find(user);
  return found && after_write(user, found, found->rename_tag(old_tag, new_tag));
}

bool Index::merge_tags(std::string_view user, std::span<const std::string> tags, std::string_view into) {
  const std::vector<std::string> names = checked_tags(tags, "tags", 1000);
  const std::string target = checked_tag(into, "into");
  const auto found = find(user);
  return found && after_write(user, found, found->merge_tags(names, target));
}

size_t Index::drop_tags(std::string_view user, std::span<const std::string> tags) {
  const std::vector<std::string> names = checked_tags(tags, "tags", limits::kExcluded);
  auto found = find(user);
  if (!found) return 0;
  const size_t dropped = after_write(user, found, found->drop_tags(names));
  drop_if_emptied(user, std::move(found));
  return dropped;
}

std::vector<std::string> Index::users() const {
  std::vector<std::string> names;
  for (UserTable::Entry& entry : users_->all()) {
    if (!entry.empty()) names.push_back(std::move(entry.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Index::ids(std::string_view user) const {
  const auto found = find(user);
  return found ? found->ids() : std::vector<std::string>();
}

Index::Frequencies Index::frequencies(std::string_view user, std::span<const std::string_view> words) const {
  const auto found = find(user);
  return found ? found->frequencies(words, analyzer_) : Frequencies{0, std::vector<uint64_t>(words.size())};
}

Index::Names Index::names(std::string_view user, bool retired) const {
  const auto found = find(user);
  return found ? found->names(retired) : Names();
}

uint64_t Index::names_version(std::string_view user) const {
  const auto found = find(user);
  return found ? found->names_version() : 0;
}

size_t Index::size() const {
  size_t total = 0;
  for (const UserTable::Entry& entry : users_->all()) {
    total += entry.user ? entry.user->size() : entry.image->summary().records;
  }
  return total;
}

IndexStats Index::stats() const {
  IndexStats total;
  total.bytes = sizeof(Index) + sizeof(UserTable) + users_->bytes();
  total.failed_spills = users_->failed_spills();
  for (const UserTable::Entry& entry : users_->all()) {
    const UserSummary summary = entry.summary();
    total.users += !summary.empty();
    total.resident_users += entry.user && !summary.empty();
    total.records += summary.records;
    total.embeddings += summary.embeddings;
    total.terms += summary.terms;
    total.tags += summary.tags;
    total.relations += summary.relations;
    if (!entry.user) continue;
    total.bytes += entry.user->bytes();
    total.mapped_bytes += entry.user->mapped_bytes();
  }
  return total;
}

std::optional<UserStats> Index::stats(std::string_view user) const {
  const auto found = find(user);
  return found && !found->empty() ? std::optional<UserStats>(found->stats()) : std::nullopt;
}

}  // namespace memspan
