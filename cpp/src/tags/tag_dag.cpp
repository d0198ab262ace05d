#include "tags/tag_dag.hpp"

#include <algorithm>
#include <functional>

#include "memspan/error.hpp"

namespace memspan {
namespace {

std::string describe_cycle(const TagDag& dag, std::span<const TagId> path, std::string_view parent,
                           std::string_view child) {
  std::string text = "parent '" + std::string(parent) + "' -> child '" + std::string(child) +
                     "' would close a cycle, because this path exists: ";
  for (size_t i = 0; i < path.size(); ++i) text.append(i == 0 ? "" : " -> ").append(dag.name(path[i]));
  return text;
}

}  // namespace

std::optional<TagId> TagDag::find(std::string_view name) const {
  const TagId tag = cells_.find(StringHash()(name), [&](TagId candidate) { return this->name(candidate) == name; });
  return tag == HashCells::kNone ? std::nullopt : std::optional<TagId>(tag);
}

TagId TagDag::find_or_create(std::string_view name) {
  if (const auto found = find(name)) return *found;
  const TagId tag = graph_.add_node();
  TextArena::Ref text = TextArena::kNone;
  try {
    if (tag >= tags_.size()) tags_.resize(tag + 1);
    records_.make_room(tag);
    text = names_.add(name);
    cells_.put(StringHash()(name), tag, HashOfName{*this});
  } catch (...) {
    if (text != TextArena::kNone) names_.remove(text);
    graph_.remove_node(tag);
    throw;
  }
  tags_[tag].name = text;
  return tag;
}

void TagDag::add_record(Slot slot, std::span<const std::string> names) {
  if (names.empty()) return;
  check();
  records_.start(slot, names.size(), tags_.size() + names.size());
  try {
    for (const std::string& name : names) records_.append(slot, find_or_create(name));
  } catch (...) {
    for (TagId tag : tags_of(slot)) {
      records_.leave(slot, tag);
      erase_if_unused(tag, [](TagId) {});
    }
    records_.clear(slot);
    throw;
  }
}

void TagDag::remove_record(Slot slot, const Changed& changed) {
  for (TagId tag : tags_of(slot)) {
    records_.leave(slot, tag);
    erase_if_unused(tag, changed);
  }
  records_.clear(slot);
}

bool TagDag::relate(std::string_view parent, std::string_view child) {
  check();
  const auto parent_tag = find(parent);
  const auto child_tag = find(child);
  if (parent == child) {
    throw TagCycle("parent '" + std::string(parent) + "' -> child '" + std::string(child) +
                   "' would close a cycle: a tag cannot be its own parent");
  }
  if (parent_tag && child_tag) {
    if (graph_.has_edge(*parent_tag, *child_tag)) return false;
    if (const auto path = graph_.add_edge(*parent_tag, *child_tag)) {
      throw TagCycle(describe_cycle(*this, *path, parent, child));
    }
    return true;
  }
  // A new tag has no edges yet, so that no cycle can arise.
  const TagId from = find_or_create(parent);
  graph_.add_edge(from, find_or_create(child));
  return true;
}

bool TagDag::unrelate(std::string_view parent, std::string_view child) {
  check();
  const auto parent_tag = find(parent);
  const auto child_tag = find(child);
  if (!parent_tag || !child_tag || !graph_.remove_edge(*parent_tag, *child_tag)) return false;
  erase_if_unused(*parent_tag, [](TagId) {});
  erase_if_unused(*child_tag, [](TagId) {});
  return true;
}

void TagDag::set_embedding(TagId tag, std::vector<float> unit_vector, const Changed& changed) {
  Embedding& place = embedding_place(tag);
  place = std::make_unique<std::vector<float>>(std::move(unit_vector));
  changed(tag);
}

void TagDag::merge(std::span<const TagId> from, TagId into, const Changed& changed) {
  check();
  // On a copy: several edges move, and any of them may be the one that closes a cycle.
  AcyclicGraph merged = graph_;
  const auto connect = [&](TagId parent, TagId child) {
    if (parent == child) return;
    if (const auto path = merged.add_edge(parent, child)) {
      const std::string message = describe_cycle(*this, *path, name(parent), name(child));
      erase_if_unused(into, changed);  // the caller may have just created it
      throw TagCycle(message);
    }
  };
  // First all of them go, so that relations among them cannot stand in the way, whatever their order.
  for (TagId source : from) merged.remove_node(source);
  const HashSet<TagId> going(from.begin(), from.end());
  for (TagId source : from) {
    for (TagId parent : graph_.parents(source)) {
      if (!going.contains(parent)) connect(parent, into);
    }
    for (TagId child : graph_.children(source)) {
      if (!going.contains(child)) connect(into, child);
    }
  }

  const bool inherits = !has_embedding(into) && std::any_of(from.begin(), from.end(), [this](TagId tag) { return has_embedding(tag); });
  Embedding* const inherited = inherits ? &embedding_place(into) : nullptr;
  for (TagId tag : from) {
    records_.replace(tag, into);
    if (inherits && !*inherited && has_embedding(tag)) *inherited = std::move(embeddings_[tag]);
    forget(tag);
    changed(tag);
  }
  graph_ = std::move(merged);
  changed(into);
  erase_if_unused(into, changed);
}

void TagDag::rename(TagId tag, std::string_view name) {
  const TextArena::Ref text = names_.add(name);
  // Its cell is found by its number, of which there must not be two.
  const uint64_t old_hash = StringHash()(this->name(tag));
  cells_.erase(old_hash, tag, HashOfName{*this});
  try {
    cells_.put(StringHash()(name), tag, HashOfName{*this});
  } catch (...) {
    cells_.put(old_hash, tag, HashOfName{*this});  // needs no memory, as its segment has room
    names_.remove(text);
    throw;
  }
  names_.remove(tags_[tag].name);
  tags_[tag].name = text;
}

void TagDag::drop(TagId tag, const Changed& changed) {
  check();
  records_.drop(tag);
  std::vector<TagId> related(graph_.parents(tag).begin(), graph_.parents(tag).end());
  related.insert(related.end(), graph_.children(tag).begin(), graph_.children(tag).end());
  erase(tag, changed);
  for (TagId other : related) erase_if_unused(other, changed);
}

void TagDag::forget(TagId tag) {
  cells_.erase(StringHash()(name(tag)), tag, HashOfName{*this});
  names_.remove(tags_[tag].name);
  tags_[tag] = Tag();
  records_.forget(tag);
  if (tag < embeddings_.size()) embeddings_[tag].reset();
}

void TagDag::erase(TagId tag, const Changed& changed) {
  forget(tag);
  graph_.remove_node(tag);
  changed(tag);
}

// Is there a tag whatever records carry it?
bool TagDag::stands_alone(TagId tag) const {
  return has_embedding(tag) || !graph_.parents(tag).empty() || !graph_.children(tag).empty();
}

void TagDag::erase_if_unused(TagId tag, const Changed& changed) {
  if (records(tag).empty() && !stands_alone(tag)) erase(tag, changed);
}

bool TagDag::shows(TagId tag, const Hidden& hidden) const {
  if (!hidden || stands_alone(tag)) return true;
  const Slots& records = this->records(tag);
  return !std::all_of(records.begin(), records.end(), hidden);
}

std::vector<std::string> TagDag::names(const Hidden& hidden) const {
  std::vector<std::string> names;
  names.reserve(size());
  for (TagId tag = 0; tag < tags_.size(); ++tag) {
    if (!exists(tag) || !shows(tag, hidden)) continue;
    names.emplace_back(name(tag));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<TagInfo> TagDag::list(const Hidden& hidden) const {
  const std::vector<uint32_t> specificities = graph_.specificities();
  const auto names = [this](std::span<const TagId> tags) {
    std::vector<std::string> result;
    for (TagId tag : tags) result.emplace_back(name(tag));
    std::sort(result.begin(), result.end());
    return result;
  };
  std::vector<TagInfo> infos;
  infos.reserve(size());
  for (TagId tag = 0; tag < tags_.size(); ++tag) {
    if (!exists(tag)) continue;
    const Slots& records = this->records(tag);
    size_t count = records.size();
    if (hidden) count -= static_cast<size_t>(std::count_if(records.begin(), records.end(), hidden));
    if (count == 0 && !stands_alone(tag)) continue;
    infos.push_back({std::string(name(tag)), count, names(graph_.parents(tag)),
                     names(graph_.children(tag)), specificities[tag]});
  }
  std::sort(infos.begin(), infos.end(), [](const TagInfo& a, const TagInfo& b) { return a.name < b.name; });
  return infos;
}

size_t TagDag::bytes() const {
  size_t total = tags_.bytes() + names_.bytes() + cells_.bytes() + graph_.bytes() + records_.bytes() + embeddings_.bytes();
  for (TagId tag = 0; tag < tags_.size(); ++tag) {
    if (has_embedding(static_cast<TagId>(tag))) total += sizeof(*embeddings_[tag]) + embeddings_[tag]->capacity() * sizeof(float);
  }
  return total;
}

}  // namespace memspan
