// One user's records with the lock that guards them.
//
// Thread safety: every member function takes the lock itself. Searches share it, writes have it alone; what reads for
// long, a save above all, keeps the writes out and lets the searches go on. What can fail is checked before the lock is
// taken for writing, so that a refused call changes nothing; without memory, a record that was begun is gone, the one that
// it replaced too, and those before it stay. Texts are analysed before the lock is taken, and a batch lets the searches in
// between slices of a few records, so that no search waits for much more than those take.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_mutex.hpp"
#include "base/fair_shared_mutex.hpp"
#include "index/cohesion_sample.hpp"
#include "index/consolidation_need.hpp"
#include "index/evicted_ids.hpp"
#include "index/user_columns.hpp"
#include "memspan/consolidation.hpp"
#include "memspan/duplicates.hpp"
#include "memspan/index.hpp"
#include "memspan/query.hpp"
#include "memspan/quotas.hpp"
#include "memspan/record.hpp"
#include "memspan/stats.hpp"
#include "query/joint_scans.hpp"
#include "query/scratch.hpp"
#include "snapshot/body.hpp"
#include "snapshot/user_image.hpp"
#include "vectors/layout_builder.hpp"

namespace memspan {

class UserIndex {
 public:
  explicit UserIndex(const RowShape& shape) : shape_(shape), columns_(shape) {}

  // A checked record with what was parsed of it.
  struct NewRecord {
    RecordInput input;
    std::span<const std::string> tags;  // normalised, distinct; the caller's
    json::object metadata;
    uint64_t id_hash = 0;  // IdTable::hash of the id
  };
  // Inserts or replaces. Ids must be distinct within the batch. Moves from `records`. The batch becomes visible slice
  // by slice. One record alone waits kPause when a consolidation is behind (consolidation.hpp); a batch does not.
  //
  // With `evicted`, records that have to make room for these within `quotas` go; their ids are appended to it, but for
  // those that come again in the batch. A record never makes room for itself. Throws QuotaExceeded where all that could
  // go are pinned: a batch is checked as a whole beforehand (`check_room`). A kind that is over its quota by more than a
  // few shrinks with every record that is added.
  void add(std::span<NewRecord> records, const Analyzer& analyzer, const Quotas& quotas = {},
           std::vector<std::string>* evicted = nullptr);
  size_t remove(std::span<const std::string_view> ids);

  // Quotas and uses (user_quotas.cpp). Throws QuotaExceeded if the pinned records, with those to come, leave no room.
  void check_room(std::span<const NewRecord> records, const Quotas& quotas);
  // Evicts what is too much, a few records at a time and `most` in all; the ids of those. Pinned ones stay even so.
  std::vector<std::string> evict(const Quotas& quotas, size_t most);
  // How many of the ids are there.
  size_t pin(std::span<const std::string_view> ids, bool pinned);
  // Counts from now on how often searches bring a record.
  void start_counting();
  size_t note_uses(std::span<const std::string_view> ids) const;
  Uses take_uses() const;
  size_t set_uses(const Uses& uses);

  // Runs `scratch.prepared`.
  void search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const;
  // Runs the queries that `scans` holds: prepare(i) makes `scratch.prepared` of the i-th and returns where its answer goes.
  // `scratch.prepared` is one of them, and all are exact or want the same recall. False, with nothing done, if they do not
  // read all rows.
  bool search_together(const IndexConfig& config, JointScans& scans, SearchScratch& scratch,
                       const std::function<SearchResult&(size_t)>& prepare) const;
  // Would searches without filters read all rows? May change with any call.
  bool reads_all(float recall) const;
  // The same as `search` if no writer has to be waited for.
  bool try_search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const;
  // False also if a writer would have to be waited for.
  bool holds_at_most(size_t records) const;
  // What the learned ranking of `scratch.prepared` looks at.
  RankingFeatures features(const IndexConfig& config, SearchScratch& scratch) const;
  // The newest k records within the merged intervals, or at any time. False, with nothing done, if some records need
  // a search, because they come back only when their kind is asked for.
  bool latest(const std::optional<std::span<const Interval>>& intervals, size_t k, std::vector<Hit>& hits) const;
  // The same if no writer has to be waited for.
  bool try_latest(const std::optional<std::span<const Interval>>& intervals, size_t k, std::vector<Hit>& hits) const;
  std::optional<Micros> locate(std::string_view id) const;
  // See Index::beside; `found` has an empty pair for each id.
  void beside(std::span<const std::string> ids, bool same_kind, std::span<std::pair<std::string, std::string>> found) const;
  // How many blocks a search chooses from, if their codes are more than the caches hold; 0 otherwise. What is told may
  // have changed by the next call.
  size_t blocks_beyond_cache() const;
  // The number of the block whose centroid is nearest to each of the unit vectors; empty without blocks.
  std::vector<uint32_t> nearest_blocks(const RowView& unit_vectors) const;

  // Tag names are normalised already.
  bool relate(std::string_view parent, std::string_view child);
  bool unrelate(std::string_view parent, std::string_view child);
  std::vector<std::string> expand(std::span<const std::string> tags, uint32_t depth) const;
  std::vector<std::pair<std::string, float>> route(std::span<const float> unit_query, uint32_t k, RouteMethod method) const;
  std::vector<TagInfo> tags(bool retired) const;
  void set_tag_embedding(std::string_view tag, std::vector<float> unit_vector);
  bool rename_tag(std::string_view old_name, std::string_view new_name);
  bool merge_tags(std::span<const std::string> tags, std::string_view into);
  size_t drop_tags(std::span<const std::string> tags);

  // Consolidation (user_consolidation.cpp): how the user lies and what would be gained, which costs the same however many
  // records there are, and doing it. One at a time; others wait.
  ConsolidationReport outlook() const;
  // Clusters are found anew when the user has doubled since they were, when what joined them has loosened or outgrown them,
  // or on demand; otherwise rows join what is there.
  ConsolidationReport consolidate(bool plan_anew);
  // Takes away what removals left behind, if that is a third of the slots; or, where nobody asked for it, three quarters, as
  // writes do: of what went beside a consolidation, which holds on to the slots. Writes wait meanwhile, O(records) of the user.
  void compact_on_demand() { compact_if_worth(Compaction::on_demand); }
  void compact_after_removals() { compact_if_worth(Compaction::after_removals); }
  std::vector<TagSpan> layout_map() const;  // by tag
  // See Index::duplicates; the query was checked (user_duplicates.cpp).
  Duplicates duplicates(const DuplicateQuery& query) const;
  // For whoever consolidates users that nobody asked for (consolidation_need.hpp). `claim` costs nothing without need.
  bool claim_consolidation() { return need_.claim(); }
  // Nothing if somebody else has seen to it since it was claimed: then the claim is given up.
  std::optional<ConsolidationReport> consolidate_if_needed();
  bool still_needs_consolidation();
  void postpone_consolidation();

  size_t size() const;
  bool empty() const;  // neither records nor tags
  std::vector<std::string> ids() const;
  Index::Names names(bool retired) const;
  uint64_t names_version() const;
  Index::Frequencies frequencies(std::span<const std::string_view> words, const Analyzer& analyzer) const;
  UserStats stats() const;
  size_t bytes() const;         // on the heap
  size_t mapped_bytes() const;  // used where they lie in a snapshot's file

  // How many records and other things were written so far, and searches that uses were counted of. Two equal counts: nothing
  // changed in between.
  uint64_t changes() const;
  uint64_t written() const;  // the same without searches: uses alone may have changed
  // Of a user who is as it was loaded but for its uses: these, for the same one loaded anew. Null if many records have some.
  std::unique_ptr<const std::string> save_uses() const;
  void load_uses(const std::string& saved);
  // For whoever decides which users stay in memory: when somebody asked for this one last, by the steady clock, and whether
  // its bytes are worth counting again. They are if since the last time that this was true it has changed by a sixteenth or by
  // as much as ever before, as the first writes to a user of a snapshot copy what they touch; or if something was made beside
  // the records (made_locked).
  void note_use() const {
    last_use_.store(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()), std::memory_order_relaxed);
  }
  uint64_t last_use() const { return last_use_.load(std::memory_order_relaxed); }
  bool due_for_counting() const;

  struct Saved {
    UserSummary summary;
    uint64_t changes;
  };
  Saved save(ByteWriter& head, BodyWriter& body) const;
  // Into an empty user. After an exception it must not be used.
  void load(ByteReader& head, const Body& body);
  // Checks what of a loaded body was not used yet. Throws CorruptSnapshot.
  void verify() const;

 private:
  // Tells records that are not believed any more, under the lock; null for all of them, and where there are none.
  TagDag::Hidden hides_retired(bool retired) const;
  // Names may have changed (user_names.cpp).
  void names_changed() { names_version_ = next_names_version(); }
  static uint64_t next_names_version();
  bool may_turn_tags(Slot slot) const;
  // The lock for reading, with nothing left that routing would have to read under it (user_tags.cpp).
  std::shared_lock<FairSharedMutex> lock_to_route() const;
  void feed_tag_graph() const;
  class DuplicateSearch;

  // Makes the order that these quotas need, in pieces, if it is not there.
  void make_order(const Quotas& quotas);
  void check_room_locked(std::span<const NewRecord> records, const Quotas& quotas) const;
  void evict_locked(Kind kind, size_t most, std::vector<std::string>& evicted);
  void sweep_words();
  // Grows with columns of fields and vectors of tags, which searches make, with layouts, and with an order of eviction.
  uint64_t made_locked() const;
  uint64_t changes_locked() const { return changes_ + columns_.uses.generation(); }
  bool list_latest(const std::optional<std::span<const Interval>>& intervals, size_t k, std::vector<Hit>& hits) const;
  TagDag::Changed tag_changed();
  UserStats stats_locked() const;
  size_t bytes_locked() const;
  struct AfterAdding {
    size_t added = 0;          // of the records, before the writer's turn was over
    bool unready = false;      // nothing was done: make_order has to come first
    bool behind = false;       // a consolidation
    bool compacting = false;   // is worth it
    VectorTable::Wanted wanted = {};
  };
  // `batch`: of how many records, with those of later slices; 0: of one alone.
  AfterAdding add_slice(std::span<NewRecord> records, std::span<const TokenBuffer> tokens, const Quotas& quotas,
                        EvictedIds* evicted, size_t batch);
  void provide(const VectorTable::Wanted& wanted);
  void insert(NewRecord& record, const TokenBuffer& tokens, const RecordUses::Kept& uses);
  void prefetch_eviction(Kind kind, bool again) const;
  void check(Slot slot) const;
  static constexpr int kAllColumns = 13;
  enum class Leaving { for_ever, replaced, evicted };
  void erase(Slot slot, int columns, Leaving leaving = Leaving::for_ever);
  // However its scope is left, no record's removal is unfinished then.
  class WholeRemovals {
   public:
    explicit WholeRemovals(LexicalIndex& lexical) : lexical_(lexical) {}
    ~WholeRemovals() { lexical_.finish_removal(); }
    WholeRemovals(const WholeRemovals&) = delete;
    WholeRemovals& operator=(const WholeRemovals&) = delete;

   private:
    LexicalIndex& lexical_;
  };
  std::span<const float> embedding(Slot slot) const;  // empty: none; until the thread's next call
  enum class Compaction { after_removals, on_demand };  // user_compaction.cpp
  bool many_dead_slots(Compaction when = Compaction::after_removals) const;
  bool worth_compacting(Compaction when = Compaction::after_removals) const;
  void compact_if_worth(Compaction when);
  void compact(Compaction when = Compaction::after_removals);
  // Of the present layout and the late rows, or of a layout that is not in place yet, while slots are kept for it.
  Cohesion measure_cohesion(const ClusterLayout* built = nullptr) const;
  ConsolidationReport outlook_locked(const Cohesion& cohesion) const;
  // What the layout's cohesion is; it takes it over. Clusters that were found anew because the old ones had come loose,
  // and that have not become what was hoped for, will not the next time either: then cohesion tells nothing.
  double judge_cohesion(ClusterLayout& built, bool planned, double hoped) const;
  // With consolidating_ held. `by_itself`: young rows alone may be laid out.
  ConsolidationReport consolidate_alone(bool plan_anew, bool by_itself);
  double time_searches(std::span<const std::vector<float>> queries) const;
  void collect_layout_input(LayoutInput& input, RowStore& pinned) const;
  // Rows join the clusters of `input.base`; without one, or where they would make searches read much more, clusters are found
  // anew, and `input` is what they were found with.
  BuiltLayout build_layout(LayoutInput& input, RowStore& pinned) const;
  // Brings a layout that is under way up to what came meanwhile, and calls `end` with nobody else in. Without one, nothing.
  template <typename End>
  void end_layout(End end);
  VectorTable::Retired put_in_place(BuiltLayout built, LayoutScope scope);
  void abandon_layout();

  // Every search writes to the count of whoever holds the user, which lies before all this, and to the lock, which begins
  // with what readers write. What searches only read keeps away from the cache lines of both.
  mutable FairSharedMutex mutex_;
  const RowShape shape_;  // of columns_.vectors; may be read without the lock
  UserColumns columns_;
  uint64_t changes_ = 0;
  uint64_t names_version_ = next_names_version();
  mutable std::atomic<uint64_t> last_use_ = 0;
  uint32_t compactions_ = 0;  // how often slots got other numbers
  uint32_t layouts_ = 0;      // put in place
  ByteMutex consolidating_;          // taken before mutex_
  mutable ByteMutex feeding_graph_;  // taken before the next one
  mutable ByteMutex reading_tags_;   // taken before mutex_
  mutable std::atomic<uint64_t> counted_changes_ = 0;
  mutable std::atomic<uint64_t> counted_made_ = 0;
  ConsolidationNeed need_;
};

}  // namespace memspan
