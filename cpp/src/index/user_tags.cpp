// UserIndex: the tags of a user, and their hierarchy.
#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>

#include "index/user_index.hpp"

namespace memspan {

bool UserIndex::relate(std::string_view parent, std::string_view child) {
  const std::unique_lock writing(mutex_);
  ++changes_;
  names_changed();
  return columns_.tags.relate(parent, child);
}

bool UserIndex::unrelate(std::string_view parent, std::string_view child) {
  const std::unique_lock writing(mutex_);
  ++changes_;
  names_changed();
  return columns_.tags.unrelate(parent, child);
}

std::vector<std::string> UserIndex::expand(std::span<const std::string> tags, uint32_t depth) const {
  const std::shared_lock reading(mutex_);
  std::vector<TagId> starts;
  for (const std::string& name : tags) {
    if (const auto tag = columns_.tags.find(name)) starts.push_back(*tag);
  }
  // Within one distance by name, so that the answer does not depend on the order in which tags were created.
  auto reached = columns_.tags.graph().descend(starts, depth);
  std::stable_sort(reached.begin(), reached.end(), [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second < b.second;
    return a.second != 0 && columns_.tags.name(a.first) < columns_.tags.name(b.first);
  });
  std::vector<std::string> names;
  for (const auto& [tag, distance] : reached) names.emplace_back(columns_.tags.name(tag));
  return names;
}

// One thread reads at a time, so that a writer waits for one piece; the others wait without the user's lock.
std::shared_lock<FairSharedMutex> UserIndex::lock_to_route() const {
  for (;;) {
    {
      std::shared_lock reading(mutex_);
      if (columns_.router.ready(columns_.tags)) return reading;
    }
    const std::lock_guard one_at_a_time(reading_tags_);
    std::shared_lock reading(mutex_);
    if (columns_.router.catch_up(columns_.tags, columns_.vectors)) return reading;
  }
}

// Each tag once at most: with writers who change tags faster than a graph takes them up, this would go on for ever.
void UserIndex::feed_tag_graph() const {
  const std::lock_guard one_at_a_time(feeding_graph_);
  TagRouter::GraphStep step;
  size_t steps = 0;
  for (;;) {
    {
      const std::shared_lock reading = lock_to_route();
      if (steps++ > columns_.tags.capacity() || !columns_.router.next_step(step)) return;
    }
    step.run();
  }
}

std::vector<std::pair<std::string, float>> UserIndex::route(std::span<const float> unit_query, uint32_t k,
                                                            RouteMethod method) const {
  if (method == RouteMethod::hnsw) feed_tag_graph();
  const std::shared_lock reading = lock_to_route();
  std::vector<std::pair<std::string, float>> named;
  const auto routed =
      columns_.router.route(unit_query.data(), k, method, columns_.tags, columns_.vectors, hides_retired(false));
  for (const auto& [tag, score] : routed) {
    named.emplace_back(columns_.tags.name(tag), score);
  }
  return named;
}

std::vector<TagInfo> UserIndex::tags(bool retired) const {
  const FairSharedMutex::WritersOut alone(mutex_);
  return columns_.tags.list(hides_retired(retired));
}

void UserIndex::set_tag_embedding(std::string_view tag, std::vector<float> unit_vector) {
  const std::unique_lock writing(mutex_);
  ++changes_;
  names_changed();
  columns_.tags.set_embedding(columns_.tags.find_or_create(tag), std::move(unit_vector), tag_changed());
}

bool UserIndex::rename_tag(std::string_view old_name, std::string_view new_name) {
  const std::unique_lock writing(mutex_);
  const auto tag = columns_.tags.find(old_name);
  if (!tag || old_name == new_name) return false;
  ++changes_;
  names_changed();
  if (const auto existing = columns_.tags.find(new_name)) {
    columns_.tags.merge(std::array{*tag}, *existing, tag_changed());
  } else {
    columns_.tags.rename(*tag, new_name);
  }
  return true;
}

bool UserIndex::merge_tags(std::span<const std::string> tags, std::string_view into) {
  const std::unique_lock writing(mutex_);
  std::vector<TagId> sources;
  for (const std::string& name : tags) {
    const auto tag = columns_.tags.find(name);
    if (tag && name != into) sources.push_back(*tag);
  }
  if (sources.empty()) return false;
  columns_.tags.check();  // before `into` is made
  ++changes_;
  names_changed();
  columns_.tags.merge(sources, columns_.tags.find_or_create(into), tag_changed());
  return true;
}

size_t UserIndex::drop_tags(std::span<const std::string> tags) {
  size_t dropped = 0;
  {
    const std::shared_lock reading(mutex_);
    const auto exists = [this](const std::string& name) { return columns_.tags.find(name).has_value(); };
    dropped = static_cast<size_t>(std::count_if(tags.begin(), tags.end(), exists));
  }
  for (const std::string& name : tags) {
    const std::unique_lock writing(mutex_);
    ++changes_;
    names_changed();
    // It may have vanished with the tag that it was related to.
    if (const auto tag = columns_.tags.find(name)) columns_.tags.drop(*tag, tag_changed());
  }
  return dropped;
}

}  // namespace memspan
