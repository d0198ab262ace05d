// The index: one UserIndex for each user, reachable only by the user's name.
//
// Thread safety: every member function may be called from any thread. Searches of a user run in parallel with each
// other and with everything that happens to other users; a write excludes other calls for the same user.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memspan/analyzer.hpp"
#include "memspan/consolidation.hpp"
#include "memspan/duplicates.hpp"
#include "memspan/query.hpp"
#include "memspan/quotas.hpp"
#include "memspan/record.hpp"
#include "memspan/row_format.hpp"
#include "memspan/stats.hpp"
#include "memspan/types.hpp"

namespace memspan {

class AutoConsolidation;
class QuotaTable;
class UserIndex;
class UserTable;

struct IndexConfig {
  uint32_t dim = 0;  // of every embedding
  AnalyzerKind analyzer = AnalyzerKind::english;
  double k1 = 1.2;   // BM25: saturation of the term frequency
  double b = 0.75;   // BM25: weight of the text's length
  RowFormat row_format = RowFormat::float32;
};

// How many users are kept in memory.
struct Residency {
  // Users who are in no call and were not asked for of late leave memory when all of them take more; 0: none do.
  size_t max_bytes = 0;
  // Where those wait who changed since they were loaded: in files without names that vanish with the process. With a
  // limit, it must be there and writable. What cannot be written later, as on a full disk, stays in memory.
  std::string spill_directory = "/tmp";
};

// How long a search at once may take, whatever the vectors are like: that of few records for an embedding alone, some
// microseconds; one in a fraction of a millisecond.
enum class Effort : uint8_t { little, some };

enum class RouteMethod : uint8_t { automatic, exact, hnsw };

class Index {
 public:
  // Throws InvalidArgument.
  explicit Index(const IndexConfig& config, const Residency& residency = {});
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  const IndexConfig& config() const { return config_; }

  // Inserts the records or replaces those of the same (user, id). A call with an error changes nothing; no (user, id)
  // may come twice. Searches meanwhile see the records come a few at a time. O(n (log N + text)) for n records into
  // users of N. With `columns`, errors name a value as the entry of a column ("ids[3]"), otherwise as that of one
  // record ("id").
  // With `enforce`, records go that have to make room within the quotas, and come back. Throws QuotaExceeded where pinned
  // records leave no room. Without it, as for what was decided elsewhere, quotas may be passed.
  std::vector<Evicted> add(std::span<const RecordInput> records, bool columns = true, bool enforce = true);

  // Erases the records that exist; returns how many did.
  size_t remove(std::string_view user, std::span<const std::string_view> ids);

  // What holds for a user, or, without one, for everybody who has none of their own; nothing: none any more. They are
  // enforced by `add` and by `evict`, not here. O(1).
  void set_quotas(std::optional<std::string_view> user, const std::optional<Quotas>& quotas);
  std::optional<Quotas> quotas(std::optional<std::string_view> user) const;  // as they were set
  // Brings the user within their quotas, or nearer to them by `most` records, as far as pins allow, a few records at a
  // time; the ids that went.
  std::vector<std::string> evict(std::string_view user, size_t most = SIZE_MAX);
  // How many of the ids are there.
  size_t pin(std::string_view user, std::span<const std::string_view> ids, bool pinned);

  // From now on searches count what they bring, unless Query::track is false. Not to be called while other calls run.
  void track_uses();
  // Counts one use of each, as a search that brought them would; how many of the ids are there. 0 without counting.
  size_t note_uses(std::string_view user, std::span<const std::string_view> ids);
  // The uses since the last call; an id may come twice. Searches go on meanwhile. O(1) when there are none, otherwise O(records).
  Uses take_uses(std::string_view user) const;
  // Replaces what is known of these records' uses; how many of the ids are there.
  size_t set_uses(std::string_view user, const Uses& uses);

  // Erases the user; returns how many records that were.
  size_t forget(std::string_view user);

  // Replaces what `out` holds, reusing its memory: with the same query and `out`, a thread's second and later searches
  // allocate nothing, unless `where`, `route` or `explain` ask for it. `out` is empty after an exception.
  void search(const Query& query, SearchResult& out) const;
  SearchResult search(const Query& query) const;

  // The records that the learned ranking of this query scores, and what it looks at in them: to learn weights from.
  // Throws InvalidArgument for any other fusion. Empty for an unknown user.
  RankingFeatures features(const Query& query) const;

  // The same for queries that take no more than this effort. Never waits for another call. False: `search` must be asked;
  // `out` then holds anything.
  bool try_search(const Query& query, Effort effort, SearchResult& out) const;

  // What `search` answers to a query of nothing but a user, `between` (empty: any time) and `k` with only the symbolic
  // view, at a fraction of the cost. A refused call leaves `out` as it was. O(k + log n for each interval).
  void latest(std::string_view user, std::span<const Interval> between, uint32_t k, SearchResult& out) const;
  // The same within one interval, or at any time, if it can be told at once: never waits for another call. False:
  // `latest` must be asked; `out` then holds anything.
  bool try_latest(std::string_view user, std::optional<Interval> between, uint32_t k, SearchResult& out) const;

  // Runs the queries on `threads` threads (0: all cores); the answers keep the order of the queries. The first failure
  // ends the call. Exact ones of a user without filters read the rows together.
  std::vector<SearchResult> search_many(std::span<const Query* const> queries, unsigned threads) const;
  std::vector<SearchResult> search_many(std::span<const Query> queries, unsigned threads) const;

  // When the record happened. O(1).
  std::optional<Micros> locate(std::string_view user, std::string_view id) const;
  bool contains(std::string_view user, std::string_view id) const { return locate(user, id).has_value(); }
  // For each id, the ids of the records right before and after it in its session, by time, of one time by the id (shorter,
  // then smaller); empty where there is none, as around ids that are unknown or have no session. With `same_kind` those of
  // other kinds than its own are passed over. O(log n + passed over) an id.
  std::vector<std::pair<std::string, std::string>> beside(std::string_view user, std::span<const std::string> ids,
                                                          bool same_kind = false) const;

  // The tag hierarchy (SwiftMem 3.2). Names are normalised; see tags/tag_dag.hpp.
  bool relate(std::string_view user, std::string_view parent, std::string_view child);
  bool unrelate(std::string_view user, std::string_view parent, std::string_view child);
  std::vector<std::string> expand(std::string_view user, std::span<const std::string> tags, uint32_t depth) const;
  std::vector<std::pair<std::string, float>> route(std::string_view user, std::span<const float> embedding, uint32_t k,
                                                   RouteMethod method) const;
  // With `retired`, of records that are not believed any more, too: their number, and tags that only they carry.
  std::vector<TagInfo> tags(std::string_view user, bool retired = false) const;
  void set_tag_embedding(std::string_view user, std::string_view tag, std::span<const float> embedding);
  bool rename_tag(std::string_view user, std::string_view old_name, std::string_view new_name);
  bool merge_tags(std::string_view user, std::span<const std::string> tags, std::string_view into);
  size_t drop_tags(std::string_view user, std::span<const std::string> tags);

  // Lays the rows of a user out anew (SwiftMem 3.4) where that is estimated to pay, or always with `force`; searches go on
  // meanwhile. Nothing for an unknown user. Uses `threads`, two at most (0: as many).
  ConsolidationReport consolidate(std::string_view user, bool force, size_t threads = 0);
  ConsolidationReport consolidate_all(bool force, size_t threads = 0);
  // From now on a thread of low priority consolidates users when their writes have made that worth it. Not to be called
  // while other calls run.
  void consolidate_by_itself();
  AutoConsolidations auto_consolidations() const;
  void finish_consolidations() const;  // waits until that thread has nothing left to do
  std::vector<TagSpan> layout_map(std::string_view user) const;

  // The pairs of records of one kind, not retired and without an end (`until`), whose embeddings' cosine is query.threshold or more: all
  // of those that neither came, went nor changed during the call. Of records with the same embedding, to the bit, each is
  // a pair with one of them only, which stands for all in other pairs. Searches go on meanwhile. O(n^2) with 64 bytes
  // a pair (vectors/near_pairs.hpp); O(new n) with query.since. Throws InvalidArgument.
  Duplicates duplicates(std::string_view user, const DuplicateQuery& query) const;

  std::vector<std::string> users() const;                  // sorted
  // What the user's records, with `retired` those that are not believed any more, too, call people and things; each
  // sorted. Tags of the hierarchy are always there. O(sessions, speakers and tags); with records
  // that are retired, of those and of the tags that they have, too.
  struct Names {
    std::vector<std::string> speakers;
    std::vector<std::string> tags;
  };
  Names names(std::string_view user, bool retired = false) const;
  // While it is the same, `names` answers the same, within a process. It may change where the names have not: with the first
  // use of a user who had left memory. 0: there is nothing of the user. O(1).
  uint64_t names_version(std::string_view user) const;
  std::vector<std::string> ids(std::string_view user) const;  // sorted
  // In how many of the user's records each word is; of a word that is several tokens, its rarest token, and of one that
  // the analyzer drops, all of them. O(a look-up each).
  struct Frequencies {
    uint64_t documents = 0;  // records with at least one token
    std::vector<uint64_t> words;
  };
  Frequencies frequencies(std::string_view user, std::span<const std::string_view> words) const;
  size_t size() const;                                     // records of all users
  IndexStats stats() const;
  std::optional<UserStats> stats(std::string_view user) const;

  // Writes a snapshot (format: snapshot/index_snapshot.cpp) and makes it durable before it takes the place of an older
  // one. `stamp` is the caller's note on what the snapshot holds.
  void save(const std::string& path, std::string_view stamp) const;
  // Opens a snapshot, whose users are read when they are first asked for: O(users). The file stays in use; it may be
  // replaced or deleted, but not changed in place. Throws CorruptSnapshot rather than believe a damaged file; so does
  // every later call that comes upon a damaged part. `verify` reads and checks everything now.
  static std::unique_ptr<Index> load(const std::string& path, const Residency& residency = {}, bool verify = false);
  const std::string& stamp() const { return stamp_; }

 private:
  std::shared_ptr<UserIndex> find(std::string_view user) const;
  std::shared_ptr<UserIndex> find_or_create(std::string_view user);
  bool search_together(std::span<const Query* const> queries, std::span<SearchResult* const> results) const;
  // After records came or went; after anything else that changes a user, there is no layout to think about.
  void wrote(std::string_view name, const std::shared_ptr<UserIndex>& user);
  template <typename Result>
  Result after_write(std::string_view name, const std::shared_ptr<UserIndex>& user, Result result);
  void drop_if_emptied(std::string_view name, std::shared_ptr<UserIndex>&& user);

  IndexConfig config_;
  Analyzer analyzer_;
  std::string stamp_;
  std::unique_ptr<QuotaTable> quotas_;
  bool track_uses_ = false;
  std::unique_ptr<UserTable> users_;
  std::unique_ptr<AutoConsolidation> auto_;  // null: only on demand. The first to go: its thread uses the users
};

}  // namespace memspan
