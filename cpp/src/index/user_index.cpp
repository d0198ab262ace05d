#include "index/user_index.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>

#include "memspan/error.hpp"
#include "base/remap.hpp"
#include "query/executor.hpp"

namespace memspan {

TagDag::Changed UserIndex::tag_changed() {
  return [this](TagId tag) { columns_.router.changed(tag); };
}

Slot UserIndex::insert(NewRecord& record, const Analyzer& analyzer, TokenBuffer& tokens) {
  const auto slot = static_cast<Slot>(columns_.slots());
  const RecordInput& input = record.input;
  columns_.ids.emplace_back(input.id);
  columns_.ats.push_back(input.at);
  columns_.slot_of.emplace(std::string(input.id), slot);
  columns_.live.resize(slot + 1);
  columns_.live.set(slot);
  columns_.attributes.add(slot, input, std::move(record.metadata));
  columns_.sessions.insert(columns_.attributes.session(slot), slot, columns_.recency());
  columns_.vectors.add(slot, input.embedding);
  columns_.tags.add_record(slot, record.tags, tag_changed());
  tokens.clear();
  analyzer.analyze(input.text, tokens);
  columns_.lexical.add(slot, tokens);
  return slot;
}

void UserIndex::erase(Slot slot) {
  const Recency recency = columns_.recency();
  columns_.timeline.erase(slot, recency);
  columns_.sessions.erase(columns_.attributes.session(slot), slot, recency);
  columns_.lexical.remove(slot);
  columns_.tags.remove_record(slot, tag_changed());
  columns_.vectors.remove(slot);
  columns_.attributes.remove(slot);
  columns_.live.reset(slot);
  columns_.slot_of.erase(columns_.ids[slot]);
  columns_.ids[slot] = std::string();
  columns_.ats[slot] = 0;
}

void UserIndex::add(std::span<NewRecord> records, const Analyzer& analyzer) {
  const std::unique_lock writing(mutex_);
  if (columns_.slots() + records.size() > limits::kRecordsPerUser) {
    throw InvalidArgument("records", std::to_string(columns_.slots() + records.size()) + " records of one user",
                          "at most " + std::to_string(limits::kRecordsPerUser));
  }
  TokenBuffer tokens;
  std::vector<Slot> slots;
  slots.reserve(records.size());
  for (NewRecord& record : records) {
    if (const auto old = columns_.slot_of.find(record.input.id); old != columns_.slot_of.end()) erase(old->second);
    slots.push_back(insert(record, analyzer, tokens));
  }
  if (slots.size() == 1) {
    columns_.timeline.insert(slots.front(), columns_.recency());
  } else {
    columns_.timeline.insert_many(slots, columns_.recency());
  }
  compact_if_worthwhile();
}

size_t UserIndex::remove(std::span<const std::string_view> ids) {
  const std::unique_lock writing(mutex_);
  size_t removed = 0;
  for (std::string_view id : ids) {
    const auto found = columns_.slot_of.find(id);
    if (found == columns_.slot_of.end()) continue;
    erase(found->second);
    ++removed;
  }
  compact_if_worthwhile();
  return removed;
}

// Dead slots cost memory and scanning. A compaction costs O(slots), so that one for every half of the live records
// makes the amortised cost of a removal constant.
void UserIndex::compact_if_worthwhile() {
  constexpr size_t kFewDead = 64;
  const size_t dead = columns_.slots() - columns_.live_count();
  if (dead < kFewDead || dead * 2 < columns_.live_count()) return;

  std::vector<Slot> new_slots(columns_.slots(), kNoSlot);
  Slot next = 0;
  columns_.live.for_each([&](Slot slot) { new_slots[slot] = next++; });
  remap_column(columns_.ids, new_slots, next);
  remap_column(columns_.ats, new_slots, next);
  for (auto& [id, slot] : columns_.slot_of) slot = new_slots[slot];
  columns_.live.assign(next, true);
  columns_.timeline.remap(new_slots);
  columns_.sessions.remap(new_slots);
  columns_.attributes.remap(new_slots, next);
  columns_.tags.remap(new_slots, next);
  columns_.lexical.remap(new_slots, next);
  columns_.vectors.remap(new_slots, next);
}

void UserIndex::search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const {
  const std::shared_lock reading(mutex_);
  execute(columns_, config, scratch, out);
}

std::optional<Micros> UserIndex::locate(std::string_view id) const {
  const std::shared_lock reading(mutex_);
  const auto found = columns_.slot_of.find(id);
  return found == columns_.slot_of.end() ? std::nullopt : std::optional<Micros>(columns_.ats[found->second]);
}

bool UserIndex::relate(std::string_view parent, std::string_view child) {
  const std::unique_lock writing(mutex_);
  return columns_.tags.relate(parent, child);
}

bool UserIndex::unrelate(std::string_view parent, std::string_view child) {
  const std::unique_lock writing(mutex_);
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
  for (const auto& [tag, distance] : reached) names.push_back(columns_.tags.name(tag));
  return names;
}

std::vector<std::pair<std::string, float>> UserIndex::route(std::span<const float> unit_query, uint32_t k,
                                                            RouteMethod method) const {
  const std::shared_lock reading(mutex_);
  std::vector<std::pair<std::string, float>> named;
  for (const auto& [tag, score] : columns_.router.route(unit_query.data(), k, method, columns_.tags, columns_.vectors)) {
    named.emplace_back(columns_.tags.name(tag), score);
  }
  return named;
}

std::vector<TagInfo> UserIndex::tags() const {
  const std::shared_lock reading(mutex_);
  return columns_.tags.list();
}

void UserIndex::set_tag_embedding(std::string_view tag, std::vector<float> unit_vector) {
  const std::unique_lock writing(mutex_);
  columns_.tags.set_embedding(columns_.tags.find_or_create(tag), std::move(unit_vector), tag_changed());
}

bool UserIndex::rename_tag(std::string_view old_name, std::string_view new_name) {
  const std::unique_lock writing(mutex_);
  const auto tag = columns_.tags.find(old_name);
  if (!tag || old_name == new_name) return false;
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
  columns_.tags.merge(sources, columns_.tags.find_or_create(into), tag_changed());
  return true;
}

size_t UserIndex::drop_tags(std::span<const std::string> tags) {
  const std::unique_lock writing(mutex_);
  const auto exists = [this](const std::string& name) { return columns_.tags.find(name).has_value(); };
  const auto dropped = std::count_if(tags.begin(), tags.end(), exists);
  for (const std::string& name : tags) {
    // It may have vanished with the tag that it was related to.
    if (const auto tag = columns_.tags.find(name)) columns_.tags.drop(*tag, tag_changed());
  }
  return static_cast<size_t>(dropped);
}

size_t UserIndex::size() const {
  const std::shared_lock reading(mutex_);
  return columns_.live_count();
}

bool UserIndex::empty() const {
  const std::shared_lock reading(mutex_);
  return columns_.live_count() == 0 && columns_.tags.size() == 0;
}

std::vector<std::string> UserIndex::ids() const {
  const std::shared_lock reading(mutex_);
  std::vector<std::string> ids;
  ids.reserve(columns_.live_count());
  for (const auto& [id, slot] : columns_.slot_of) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

UserStats UserIndex::stats() const {
  const std::shared_lock reading(mutex_);
  const UserColumns& c = columns_;
  UserStats stats;
  stats.records = c.live_count();
  stats.embeddings = c.vectors.count();
  stats.documents = c.lexical.documents();
  stats.tokens = c.lexical.tokens();
  stats.terms = c.lexical.terms();
  stats.tags = c.tags.size();
  stats.relations = c.tags.graph().edges();
  stats.sessions = c.sessions.size();
  stats.dead_slots = c.slots() - c.live_count();
  for (size_t kind = 0; kind < kKindCount; ++kind) stats.kinds[kind] = c.attributes.count(static_cast<Kind>(kind));
  if (c.timeline.size() > 0) {
    stats.earliest = c.timeline.entries().front().at;
    stats.latest = c.timeline.entries().back().at;
  }
  stats.bytes = c.ids.capacity() * sizeof(std::string) + c.ats.capacity() * sizeof(Micros) +
                c.slot_of.bucket_count() * (sizeof(std::string) + sizeof(Slot)) + c.live.bytes() + c.timeline.bytes() +
                c.sessions.bytes() + c.attributes.bytes() + c.tags.bytes() + c.router.bytes() + c.lexical.bytes() +
                c.vectors.bytes();
  return stats;
}

// text records as columns: u64 n; per record text id, i64 at; then attributes, tags, lexical, vectors (see each).
// Dead slots are left out.
void UserIndex::save(ByteWriter& out) const {
  const std::shared_lock reading(mutex_);
  std::vector<Slot> live;
  live.reserve(columns_.live_count());
  columns_.live.for_each([&](Slot slot) { live.push_back(slot); });
  out.put<uint64_t>(live.size());
  for (Slot slot : live) {
    out.put_text(columns_.ids[slot]);
    out.put<int64_t>(columns_.ats[slot]);
  }
  columns_.attributes.save(out, live);
  columns_.tags.save(out, live);
  columns_.lexical.save(out, live);
  columns_.vectors.save(out, live);
}

void UserIndex::load(ByteReader& in) {
  const std::unique_lock writing(mutex_);
  const uint64_t count = in.get_count(sizeof(uint32_t) + sizeof(int64_t));
  in.check(count <= limits::kRecordsPerUser, "too many records");
  std::vector<Slot> slots(count);
  for (Slot slot = 0; slot < count; ++slot) {
    const std::string_view id = in.get_text(limits::kNameBytes);
    const auto at = in.get<int64_t>();
    in.check(!id.empty() && at >= kMinTime && at <= kMaxTime, "a record's id or time is out of range");
    in.check(columns_.slot_of.emplace(std::string(id), slot).second, "an id comes twice");
    columns_.ids.emplace_back(id);
    columns_.ats.push_back(at);
    slots[slot] = slot;
  }
  columns_.live.assign(count, true);
  columns_.timeline.insert_many(slots, columns_.recency());
  columns_.attributes.load(in, count);
  // In the order of time each record is appended to its session.
  for (const Timeline::Entry& entry : columns_.timeline.entries()) {
    columns_.sessions.insert(columns_.attributes.session(entry.slot), entry.slot, columns_.recency());
  }
  columns_.tags.load(in, count, columns_.vectors.dim());
  for (TagId tag = 0; tag < columns_.tags.capacity(); ++tag) columns_.router.changed(tag);
  columns_.lexical.load(in, count);
  columns_.vectors.load(in, count);
  in.check(in.left() == 0, "bytes are left after the last column");
}

}  // namespace memspan
