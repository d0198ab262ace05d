#include "tags/tag_dag.hpp"

#include <algorithm>
#include <iterator>

#include "base/remap.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

std::string describe_cycle(const TagDag& dag, std::span<const TagId> path, std::string_view parent,
                           std::string_view child) {
  std::string text = "parent '" + std::string(parent) + "' -> child '" + std::string(child) +
                     "' would close a cycle, because this path exists: ";
  for (size_t i = 0; i < path.size(); ++i) text += (i == 0 ? "" : " -> ") + dag.name(path[i]);
  return text;
}

void erase_sorted(std::vector<Slot>& slots, Slot slot) {
  slots.erase(std::lower_bound(slots.begin(), slots.end(), slot));
}

}  // namespace

std::optional<TagId> TagDag::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional<TagId>(found->second);
}

TagId TagDag::find_or_create(std::string_view name) {
  if (const auto found = find(name)) return *found;
  const TagId tag = graph_.add_node();
  if (tag >= tags_.size()) tags_.resize(tag + 1);
  tags_[tag].name = std::string(name);
  tags_[tag].used = true;
  ids_.emplace(std::string(name), tag);
  return tag;
}

void TagDag::add_record(Slot slot, std::span<const std::string> names, const Changed& changed) {
  if (slot >= of_slot_.size()) of_slot_.resize(slot + 1);
  std::vector<TagId>& tags = of_slot_[slot];
  tags.reserve(names.size());
  for (const std::string& name : names) {
    const TagId tag = find_or_create(name);
    tags.push_back(tag);
    tags_[tag].records.push_back(slot);
    changed(tag);
  }
}

void TagDag::remove_record(Slot slot, const Changed& changed) {
  const std::vector<TagId> tags = std::move(of_slot_[slot]);
  of_slot_[slot] = {};
  for (TagId tag : tags) {
    erase_sorted(tags_[tag].records, slot);
    changed(tag);
    erase_if_unused(tag, changed);
  }
}

bool TagDag::relate(std::string_view parent, std::string_view child) {
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
  const auto parent_tag = find(parent);
  const auto child_tag = find(child);
  if (!parent_tag || !child_tag || !graph_.remove_edge(*parent_tag, *child_tag)) return false;
  erase_if_unused(*parent_tag, [](TagId) {});
  erase_if_unused(*child_tag, [](TagId) {});
  return true;
}

void TagDag::set_embedding(TagId tag, std::vector<float> unit_vector, const Changed& changed) {
  tags_[tag].embedding = std::move(unit_vector);
  changed(tag);
}

void TagDag::merge(std::span<const TagId> from, TagId into, const Changed& changed) {
  // Check on a copy: several edges move, and any of them may be the one that closes a cycle.
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
  const auto stays = [&](TagId tag) { return std::find(from.begin(), from.end(), tag) == from.end(); };
  for (TagId source : from) {
    for (TagId parent : graph_.parents(source)) {
      if (stays(parent)) connect(parent, into);
    }
    for (TagId child : graph_.children(source)) {
      if (stays(child)) connect(into, child);
    }
  }

  for (TagId tag : from) {
    Tag& source = tags_[tag];
    Tag& target = tags_[into];
    std::vector<Slot> records;
    std::set_union(source.records.begin(), source.records.end(), target.records.begin(), target.records.end(),
                   std::back_inserter(records));
    for (Slot slot : source.records) {
      std::vector<TagId>& tags = of_slot_[slot];
      tags.erase(std::find(tags.begin(), tags.end(), tag));
      if (std::find(tags.begin(), tags.end(), into) == tags.end()) tags.push_back(into);
    }
    target.records = std::move(records);
    if (target.embedding.empty()) target.embedding = std::move(source.embedding);
    ids_.erase(source.name);
    source = Tag();
    changed(tag);
  }
  graph_ = std::move(merged);
  changed(into);
  erase_if_unused(into, changed);
}

void TagDag::rename(TagId tag, std::string_view name) {
  ids_.erase(tags_[tag].name);
  tags_[tag].name = std::string(name);
  ids_.emplace(std::string(name), tag);
}

void TagDag::drop(TagId tag, const Changed& changed) {
  for (Slot slot : tags_[tag].records) {
    std::vector<TagId>& tags = of_slot_[slot];
    tags.erase(std::find(tags.begin(), tags.end(), tag));
  }
  std::vector<TagId> related(graph_.parents(tag).begin(), graph_.parents(tag).end());
  related.insert(related.end(), graph_.children(tag).begin(), graph_.children(tag).end());
  erase(tag, changed);
  for (TagId other : related) erase_if_unused(other, changed);
}

void TagDag::erase(TagId tag, const Changed& changed) {
  ids_.erase(tags_[tag].name);
  tags_[tag] = Tag();
  graph_.remove_node(tag);
  changed(tag);
}

void TagDag::erase_if_unused(TagId tag, const Changed& changed) {
  const bool used = !tags_[tag].records.empty() || !tags_[tag].embedding.empty() || !graph_.parents(tag).empty() ||
                    !graph_.children(tag).empty();
  if (!used) erase(tag, changed);
}

std::vector<TagInfo> TagDag::list() const {
  const std::vector<uint32_t> specificities = graph_.specificities();
  const auto names = [this](std::span<const TagId> tags) {
    std::vector<std::string> result;
    for (TagId tag : tags) result.push_back(name(tag));
    std::sort(result.begin(), result.end());
    return result;
  };
  std::vector<TagInfo> infos;
  infos.reserve(ids_.size());
  for (TagId tag = 0; tag < tags_.size(); ++tag) {
    if (!tags_[tag].used) continue;
    infos.push_back({tags_[tag].name, tags_[tag].records.size(), names(graph_.parents(tag)),
                     names(graph_.children(tag)), specificities[tag]});
  }
  std::sort(infos.begin(), infos.end(), [](const TagInfo& a, const TagInfo& b) { return a.name < b.name; });
  return infos;
}

void TagDag::remap(std::span<const Slot> new_slots, size_t size) {
  remap_column(of_slot_, new_slots, size);
  // New numbers keep the order of the old ones, so the lists stay sorted.
  for (Tag& tag : tags_) {
    for (Slot& slot : tag.records) slot = new_slots[slot];
    tag.records.shrink_to_fit();
  }
}

size_t TagDag::bytes() const {
  size_t total = tags_.capacity() * sizeof(Tag) + graph_.bytes() + of_slot_.capacity() * sizeof(std::vector<TagId>);
  for (const Tag& tag : tags_) {
    total += tag.name.capacity() * 2 + sizeof(std::string) + 8 + tag.records.capacity() * sizeof(Slot) +
             tag.embedding.capacity() * sizeof(float);
  }
  for (const auto& tags : of_slot_) total += tags.capacity() * sizeof(TagId);
  return total;
}

}  // namespace memspan
