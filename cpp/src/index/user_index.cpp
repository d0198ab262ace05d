#include "index/user_index.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "memspan/error.hpp"
#include "attributes/standing.hpp"
#include "base/huge_pages.hpp"
#include "base/prefetch.hpp"
#include "base/set_column.hpp"
#include "index/analysis_ahead.hpp"
#include "query/executor.hpp"
#include "query/listing.hpp"
#include "ranking/learned.hpp"
#include "vectors/k_means.hpp"

namespace memspan {

TagDag::Changed UserIndex::tag_changed() {
  return [this](TagId tag) { columns_.router.changed(tag); };
}

std::span<const float> UserIndex::embedding(Slot slot) const {
  thread_local std::vector<float> buffer;
  return columns_.vectors.has(slot) ? columns_.vectors.floats(slot, buffer) : std::span<const float>();
}

namespace {

// Records that one record that comes may push out, where a quota has shrunk.
constexpr size_t kMostAtOnce = 32;

}  // namespace

void UserIndex::insert(NewRecord& record, const TokenBuffer& tokens, const RecordUses::Kept& uses) {
  UserColumns& c = columns_;
  const RecordInput& input = record.input;
  const Slot slot = c.ids.add(input.id, record.id_hash, !c.vectors.pinned());
  int done = 1;
  try {
    set_column(c.ats, slot, input.at);
    if (slot >= c.live.size()) c.live.resize(size_t{slot} + 1);
    c.live.set(slot);
    ++done;
    const bool turned = c.attributes.add(slot, input, std::move(record.metadata));
    ++done;
    c.uses.add(slot);
    c.uses.restore(slot, uses);
    ++done;
    c.standing.add(slot, input.retired_at, input.expires_at);
    ++done;
    c.bounds.add(slot, {input.at, input.recorded_at, input.retired_at});
    ++done;
    if (!c.standing.retired(slot)) c.sessions.insert(c.attributes.session(slot), slot, c.recency());
    ++done;
    c.timeline.insert(slot, c.recency());
    ++done;
    c.vectors.add(slot, input.at, input.embedding);
    ++done;
    c.lexical.add(slot, tokens);
    ++done;
    if (c.standing.retired(slot)) c.retired_words.add(c.lexical, slot);
    ++done;
    c.evictions.add(c, slot);
    ++done;
    const size_t tags = c.tags.size();
    c.tags.add_record(slot, record.tags);
    if (turned || c.tags.size() != tags || may_turn_tags(slot)) names_changed();
  } catch (...) {
    erase(slot, done);
    throw;
  }
  for (TagId tag : c.tags.tags_of(slot)) c.router.record_added(tag, slot, embedding(slot));
}

// Throws CorruptSnapshot if anything of the record lies in a snapshot and is damaged. Must come before an erasure, which
// cannot fail.
void UserIndex::check(Slot slot) const {
  columns_.vectors.check(slot);
  columns_.lexical.check(slot);
  columns_.tags.check();
}

// Takes a record out of the first `columns` columns of those that insert fills, the last one first. The words of one that
// is replaced stay in the lists until the scope's WholeRemovals, or the record that takes its slot; those of one that is
// evicted until a sweep, and its slot rests until then.
void UserIndex::erase(Slot slot, int columns, Leaving leaving) {
  UserColumns& c = columns_;
  switch (columns) {
    default: {
      const bool turned = may_turn_tags(slot);
      for (TagId tag : c.tags.tags_of(slot)) c.router.record_removed(tag, slot, embedding(slot));
      const size_t tags = c.tags.size();
      c.tags.remove_record(slot, tag_changed());
      if (turned || c.tags.size() != tags) names_changed();
      [[fallthrough]];
    }
    case 12: c.evictions.remove(c, slot); [[fallthrough]];
    case 11:
      if (c.standing.retired(slot)) c.retired_words.remove(c.lexical, slot);
      [[fallthrough]];
    case 10:
      if (leaving == Leaving::evicted) {
        c.lexical.depart(slot);
      } else if (leaving == Leaving::replaced) {
        c.lexical.remove_for_another(slot);
      } else {
        c.lexical.remove(slot);
      }
      [[fallthrough]];
    case 9: c.vectors.remove(slot, leaving == Leaving::evicted); [[fallthrough]];
    case 8: c.timeline.erase(slot, c.recency()); [[fallthrough]];
    case 7:
      if (!c.standing.retired(slot)) c.sessions.erase(c.attributes.session(slot), slot, c.recency());
      [[fallthrough]];
    case 6:
      c.bounds.remove(slot, c.times(slot), c.live, [&](Slot other) { return c.times(other); });
      [[fallthrough]];
    case 5: {
      const RecordStates& states = c.attributes.states();
      c.standing.remove(slot, states.retired_at(slot), states.expires_at(slot));
      [[fallthrough]];
    }
    case 4: c.uses.remove(slot); [[fallthrough]];
    case 3:
      if (c.attributes.remove(slot)) names_changed();
      [[fallthrough]];
    case 2:
      c.live.reset(slot);
      c.ats[slot] = 0;
      [[fallthrough]];
    case 1: leaving == Leaving::evicted ? c.ids.remove_id(slot) : c.ids.remove(slot);
  }
}

// The next record of a full kind evicts one that has usually not been read for long. After one addition, and before the next.
void UserIndex::prefetch_eviction(Kind kind, bool again) const {
  const Slot next = columns_.evictions.likely_next(kind);
  if (next == kNoSlot) return;
  if (again) return columns_.ids.prefetch_text(next);
  prefetch_line(&columns_.ats[next]);
  columns_.attributes.prefetch(next);
  columns_.lexical.prefetch_terms(next);
  columns_.vectors.prefetch_codes(next);
  columns_.ids.prefetch_place(next);
}

UserIndex::AfterAdding UserIndex::add_slice(std::span<NewRecord> records, std::span<const TokenBuffer> tokens,
                                            const Quotas& quotas, EvictedIds* evicted, size_t batch) {
  const std::unique_lock writing(mutex_);
  // Not as a reader beforehand: a writer waits a moment after readers. Where nothing is evicted, too: what comes is compared
  // with what came before only while there is an order.
  if (!columns_.evictions.ready(columns_, quotas)) return {.unready = true};
  const bool limited = evicted != nullptr && quotas.limit_any();
  if (columns_.live_count() + records.size() > limits::kRecordsPerUser) {
    throw InvalidArgument("records", std::to_string(columns_.live_count() + records.size()) + " records of one user",
                          "at most " + std::to_string(limits::kRecordsPerUser));
  }
  const WholeRemovals whole(columns_.lexical);
  if (batch > 0) columns_.vectors.expect(batch);
  size_t i = 0;
  do {
    ++changes_;
    const Kind kind = records[i].input.kind;
    const bool limited_kind = limited && quotas.limits(kind);
    if (limited_kind) prefetch_eviction(kind, true);
    const Slot old = columns_.ids.find(records[i].input.id, records[i].id_hash);
    const size_t capacity = limited_kind ? quotas.capacities[static_cast<size_t>(kind)] : 0;
    // A batch was checked as a whole. With two that could go, one can, whichever this one replaces.
    if (limited_kind && batch == 0 && (columns_.evictions.evictable(kind) < 2 || columns_.attributes.count(kind) > capacity)) {
      check_room_locked({&records[i], 1}, quotas);
    }
    RecordUses::Kept uses;
    if (old != kNoSlot) {
      check(old);
      uses = columns_.uses.keep(old);
      erase(old, kAllColumns, Leaving::replaced);
    } else if (limited) {
      evicted->came_again(records[i].input.id);
    }
    if (limited_kind) {
      const size_t count = size_t{columns_.attributes.count(kind)} + 1;
      if (count > capacity) evict_locked(kind, std::min(count - capacity, kMostAtOnce), evicted->list());
    }
    insert(records[i], tokens[i], uses);
    if (limited_kind && columns_.attributes.count(kind) >= capacity) prefetch_eviction(kind, false);
  } while (++i < records.size() && !mutex_.turn_is_over());
  need_.update(columns_.vectors);
  return {.added = i,
          .behind = need_.behind(columns_.vectors, many_dead_slots()),
          .compacting = worth_compacting(),
          .wanted = columns_.vectors.wanted()};
}

// Searches do not wait while the kernel provides its pages.
void UserIndex::provide(const VectorTable::Wanted& wanted) {
  huge_pages::replenish();
  if (wanted.rows > 0) huge_pages::prepare(wanted.rows, huge_pages::Stay::lasting);
  if (wanted.codes > 0) huge_pages::prepare(wanted.codes, huge_pages::Stay::passing);
  if (wanted.spare == 0) return;
  RowStore::ChunkMemory spare = RowStore::make_spare(wanted.spare);
  const std::unique_lock writing(mutex_);
  columns_.vectors.take_spare(spare);
}

void UserIndex::add(std::span<NewRecord> records, const Analyzer& analyzer, const Quotas& quotas,
                    std::vector<std::string>* evicted) {
  std::optional<EvictedIds> leaving;
  if (evicted != nullptr) leaving.emplace(*evicted);
  size_t batch = records.size() > 1 ? records.size() : 0;  // of which so many are left
  const auto add_next = [&](std::span<NewRecord> slice, std::span<const TokenBuffer> tokens) {
    for (;;) {
      const AfterAdding after = add_slice(slice, tokens, quotas, leaving ? &*leaving : nullptr, batch);
      batch -= std::min(batch, after.added);
      if (after.unready) make_order(quotas);  // at first, and where quotas change
      provide(after.wanted);
      slice = slice.subspan(after.added);
      tokens = tokens.subspan(after.added);
      if (slice.empty()) return after;
    }
  };
  if (records.size() == 1) {  // the common case, with memory that the thread keeps
    thread_local TokenBuffer tokens;
    tokens.clear();
    analyzer.analyze(records.front().input.text, tokens);
    const AfterAdding after = add_next(records, std::span(&tokens, 1));
    if (after.behind) std::this_thread::sleep_for(kPause);
    if (tokens.size() > AnalysisAhead::kSliceTokens) tokens = {};
    if (after.compacting) compact();
    return;
  }
  AnalysisAhead ahead(analyzer, records.size(), [records](size_t i) { return records[i].input.text; });
  bool compacting = false;
  while (!records.empty()) {
    const std::span<const TokenBuffer> tokens = ahead.next();
    compacting = add_next(records.first(tokens.size()), tokens).compacting;
    records = records.subspan(tokens.size());
  }
  if (compacting) compact();
}

size_t UserIndex::remove(std::span<const std::string_view> ids) {
  size_t removed = 0;
  bool compacting = false;
  for (size_t next = 0; next < ids.size();) {
    const std::unique_lock writing(mutex_);
    do {
      const Slot slot = columns_.ids.find(ids[next]);
      if (slot == kNoSlot) continue;
      check(slot);
      ++changes_;
      erase(slot, kAllColumns);
      ++removed;
    } while (++next < ids.size() && !mutex_.turn_is_over());
    need_.update(columns_.vectors);
    compacting = worth_compacting();
  }
  if (compacting) compact();
  return removed;
}

void UserIndex::search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const {
  const std::shared_lock reading = scratch.prepared.routes() ? lock_to_route() : std::shared_lock(mutex_);
  execute(columns_, config, scratch, out);
}

bool UserIndex::search_together(const IndexConfig& config, JointScans& scans, SearchScratch& scratch,
                                const std::function<SearchResult&(size_t)>& prepare) const {
  struct Scanned {
    SearchScratch& scratch;
    ~Scanned() { scratch.scanned = nullptr; }
  } known{scratch};
  const std::shared_lock reading(mutex_);
  const Query& one = *scratch.prepared.query;
  if (!is_exact(one) && !columns_.vectors.reads_all(one.recall)) return false;
  scratch.admission.admit(columns_, scratch.prepared);  // which admits to each what it admits to one
  if (!scratch.admission.all()) return false;
  scans.run(columns_);
  for (size_t i = 0; i < scans.size(); ++i) {
    SearchResult& out = prepare(i);
    scratch.scanned = &scans.found(i);
    execute(columns_, config, scratch, out);
  }
  return true;
}

bool UserIndex::reads_all(float recall) const {
  const std::shared_lock reading(mutex_);
  return columns_.vectors.reads_all(recall);
}

bool UserIndex::holds_at_most(size_t records) const {
  const std::shared_lock reading(mutex_, std::try_to_lock);
  return reading && columns_.live_count() <= records;
}

bool UserIndex::try_search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const {
  const std::shared_lock reading(mutex_, std::try_to_lock);
  if (!reading || (scratch.prepared.routes() && !columns_.router.ready(columns_.tags))) return false;
  execute(columns_, config, scratch, out);
  return true;
}

RankingFeatures UserIndex::features(const IndexConfig& config, SearchScratch& scratch) const {
  const std::shared_lock reading = scratch.prepared.routes() ? lock_to_route() : std::shared_lock(mutex_);
  SearchResult result;
  execute(columns_, config, scratch, result);
  RankingFeatures found;
  if (scratch.prepared.listing()) return found;
  list_features(columns_, scratch, found.rows);
  for (const Slot slot : RankingScratch::of_thread().pool.slots()) found.ids.emplace_back(columns_.ids[slot]);
  return found;
}

bool UserIndex::latest(const std::optional<std::span<const Interval>>& intervals, size_t k,
                       std::vector<Hit>& hits) const {
  const std::shared_lock reading(mutex_);
  return list_latest(intervals, k, hits);
}

bool UserIndex::try_latest(const std::optional<std::span<const Interval>>& intervals, size_t k,
                           std::vector<Hit>& hits) const {
  const std::shared_lock reading(mutex_, std::try_to_lock);
  return reading && list_latest(intervals, k, hits);
}

bool UserIndex::list_latest(const std::optional<std::span<const Interval>>& intervals, size_t k,
                            std::vector<Hit>& hits) const {
  if (columns_.attributes.count(Kind::vault) > 0) return false;
  list_by_time(columns_, intervals, k, hits);
  return true;
}

size_t UserIndex::blocks_beyond_cache() const {
  constexpr size_t kCacheBytes = size_t{16} << 20;
  const std::shared_lock reading(mutex_);
  const ClusterLayout* const layout = columns_.vectors.layout();
  return layout && layout->size * code_stride(columns_.vectors.dim()) > kCacheBytes ? layout->blocks.size() : 0;
}

std::vector<uint32_t> UserIndex::nearest_blocks(const RowView& unit_vectors) const {
  const std::shared_lock reading(mutex_);
  const ClusterLayout* const layout = columns_.vectors.layout();
  if (layout == nullptr) return {};
  const auto nearest = assign(unit_vectors, layout->centroids, layout->blocks.size());
  return {nearest.begin(), nearest.end()};
}

std::optional<Micros> UserIndex::locate(std::string_view id) const {
  const std::shared_lock reading(mutex_);
  const Slot slot = columns_.ids.find(id);
  return slot == kNoSlot ? std::nullopt : std::optional<Micros>(columns_.ats[slot]);
}

void UserIndex::beside(std::span<const std::string> ids, bool same_kind,
                       std::span<std::pair<std::string, std::string>> found) const {
  const std::shared_lock reading(mutex_);
  const Recency recency = columns_.recency();
  const Micros now = columns_.standing.expiring_count() > 0 ? wall_clock() : 0;
  const auto lives = [&](Slot slot) { return now == 0 || columns_.attributes.states().expires_at(slot) > now; };
  for (size_t i = 0; i < ids.size(); ++i) {
    const Slot slot = columns_.ids.find(ids[i]);
    if (slot == kNoSlot) continue;
    const StringPool::Symbol session = columns_.attributes.session(slot);
    if (session == StringPool::kNone) continue;
    const Kind kind = columns_.attributes.kind(slot);
    const auto counts = [&](Slot other) {
      return lives(other) && (!same_kind || columns_.attributes.kind(other) == kind);
    };
    const Sessions::Turns& turns = columns_.sessions.turns(session);
    const auto center = columns_.sessions.find(session, slot, recency);
    if (center == turns.end()) continue;  // retired
    for (auto before = center; before != turns.begin();) {
      if (!counts(*--before)) continue;
      found[i].first = recency.id(*before);
      break;
    }
    const auto after = std::find_if(std::next(center), turns.end(), counts);
    if (after != turns.end()) found[i].second = recency.id(*after);
  }
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
  const FairSharedMutex::WritersOut alone(mutex_);
  std::vector<std::string> ids;
  ids.reserve(columns_.live_count());
  columns_.live.for_each([&](Slot slot) { ids.emplace_back(columns_.ids[slot]); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

Index::Frequencies UserIndex::frequencies(std::span<const std::string_view> words, const Analyzer& analyzer) const {
  // Analysed before the lock, which a writer may wait for.
  TokenBuffer tokens;
  std::vector<size_t> ends;
  ends.reserve(words.size());
  for (const std::string_view word : words) {
    analyzer.analyze(word, tokens);
    ends.push_back(tokens.size());
  }
  Index::Frequencies found;
  found.words.reserve(words.size());
  const std::shared_lock reading(mutex_);
  const WordStatistics statistics(columns_.lexical, &columns_.retired_words);
  found.documents = statistics.documents();
  const std::span<const TermId> terms = columns_.lexical.find_all(tokens);
  size_t token = 0;
  for (const size_t end : ends) {
    uint64_t rarest = found.documents;
    for (; token < end; ++token) {
      const TermId term = terms[token];
      rarest = std::min<uint64_t>(rarest, term == kNoTerm ? 0 : statistics.records(term));
    }
    found.words.push_back(rarest);
  }
  return found;
}

UserStats UserIndex::stats() const {
  const std::shared_lock reading(mutex_);
  return stats_locked();
}

size_t UserIndex::mapped_bytes() const {
  const std::shared_lock reading(mutex_);
  return columns_.vectors.mapped_bytes() + columns_.lexical.mapped_bytes();
}

size_t UserIndex::bytes() const {
  const std::shared_lock reading(mutex_);
  return bytes_locked();
}

uint64_t UserIndex::changes() const {
  const std::shared_lock reading(mutex_);
  return changes_locked();
}

uint64_t UserIndex::written() const {
  const std::shared_lock reading(mutex_);
  return changes_;
}

uint64_t UserIndex::made_locked() const {
  return columns_.attributes.field_columns() + columns_.router.was_asked() + columns_.evictions.active() + layouts_;
}

bool UserIndex::due_for_counting() const {
  const std::shared_lock reading(mutex_);
  const uint64_t made = made_locked();
  const bool more = counted_made_.exchange(made) != made;
  const uint64_t counted = counted_changes_;
  const uint64_t few = std::min<uint64_t>(counted, (columns_.live_count() + columns_.tags.size()) / 16);
  if (!more && changes_ - counted <= few) return false;
  counted_changes_ = changes_;
  return true;
}

}  // namespace memspan
