// The searches of an index, one by one and many at once.
#include <algorithm>
#include <array>
#include <functional>
#include <thread>

#include "base/share_out.hpp"
#include "index/search_order.hpp"
#include "index/user_index.hpp"
#include "index/user_table.hpp"
#include "index/validation.hpp"
#include "memspan/error.hpp"
#include "memspan/index.hpp"
#include "query/joint_scans.hpp"
#include "query/scratch.hpp"
#include "timeline/intervals.hpp"

namespace memspan {

namespace {

// Columns of fields, or vectors of tags, which take memory.
bool makes_more(const PreparedQuery& prepared) { return prepared.where || prepared.routes(); }

}  // namespace

void Index::search(const Query& query, SearchResult& out) const {
  SearchScratch& scratch = SearchScratch::of_thread();
  try {
    prepare(query, config_, analyzer_, scratch.prepared);
    scratch.track = track_uses_ && query.track;
    if (const auto user = find(query.user)) {
      user->search(config_, scratch, out);
      if (makes_more(scratch.prepared)) users_->count_if_due(query.user, user);
    } else {
      out.hits.clear();
      out.explanation.reset();
      if (query.explain) out.explanation.emplace();
      out.features.reset();
      if (query.features) out.features.emplace();
    }
  } catch (...) {
    out = SearchResult();
    scratch.trim();
    throw;
  }
  scratch.trim();
}

namespace {

constexpr uint32_t kFewHits = 64;

// Whatever the vectors are like, a search of no more numbers for a vector alone takes a few microseconds, and not a
// hundred; one of the others some hundred at most.
constexpr size_t most_numbers(Effort effort) { return (effort == Effort::little ? 8192 : 65536) * size_t{384}; }

bool asks_for(const Query& query, Effort effort) {
  if (query.fusion == Fusion::learned || query.exact || query.explain) return false;
  if (query.k > kFewHits || query.depth > kFewHits) return false;
  return effort == Effort::some ||
         (!query.text && !query.embedding.empty() && query.tags.empty() && query.route == 0 && query.where.empty() &&
          query.exclude.empty() && !query.as_of && !query.valid_at && query.neighbors == 0);
}

}  // namespace

bool Index::try_search(const Query& query, Effort effort, SearchResult& out) const {
  if (!asks_for(query, effort)) return false;
  return users_->try_visit(query.user, [&](const UserIndex& found) {
    if (!found.holds_at_most(most_numbers(effort) / config_.dim)) return false;
    SearchScratch& scratch = SearchScratch::of_thread();
    prepare(query, config_, analyzer_, scratch.prepared);
    scratch.track = track_uses_ && query.track;
    const bool done = found.try_search(config_, scratch, out);
    scratch.trim();
    return done;
  });
}

RankingFeatures Index::features(const Query& query) const {
  if (query.fusion != Fusion::learned) throw InvalidArgument("fusion", "another one", "learned");
  SearchScratch& scratch = SearchScratch::of_thread();
  RankingFeatures found;
  prepare(query, config_, analyzer_, scratch.prepared);
  scratch.track = false;
  if (const auto user = find(query.user)) {
    found = user->features(config_, scratch);
    if (makes_more(scratch.prepared)) users_->count_if_due(query.user, user);
  }
  scratch.trim();
  return found;
}

void Index::latest(std::string_view user, std::span<const Interval> between, uint32_t k, SearchResult& out) const {
  check_listing(between, k);
  out.explanation.reset();
  out.features.reset();
  const auto found = find(user);
  if (!found) {
    out.hits.clear();
    return;
  }
  std::optional<std::span<const Interval>> intervals;
  std::vector<Interval> merged;
  if (between.size() == 1) {
    intervals = between;
  } else if (!between.empty()) {
    merge_intervals(between, merged);
    intervals = merged;
  }
  if (found->latest(intervals, k, out.hits)) return;
  Query query;
  query.user = user;
  if (!between.empty()) query.between.emplace(between.begin(), between.end());
  query.views.emplace(1, View::symbolic);
  query.track = false;
  query.k = query.depth = k;
  search(query, out);
}

bool Index::try_latest(std::string_view user, std::optional<Interval> between, uint32_t k, SearchResult& out) const {
  check_name(user, "user");
  std::optional<std::span<const Interval>> intervals;
  if (between) intervals = std::span(&*between, 1);
  check_listing(intervals.value_or(std::span<const Interval>()), k);
  return users_->try_visit(user, [&](const UserIndex& found) {
    out.explanation.reset();
    out.features.reset();
    return found.try_latest(intervals, k, out.hits);
  });
}

SearchResult Index::search(const Query& query) const {
  SearchResult result;
  search(query, result);
  return result;
}

std::vector<SearchResult> Index::search_many(std::span<const Query> queries, unsigned threads) const {
  std::vector<const Query*> pointers;
  pointers.reserve(queries.size());
  for (const Query& query : queries) pointers.push_back(&query);
  return search_many(pointers, threads);
}

namespace {

// Starting a thread costs about as much as a few searches.
constexpr size_t kQueriesWorthAThread = 4;
// Queries that a thread takes at a time: few enough for the threads to end together, enough to find a user's data in
// the cache.
constexpr size_t kMostAtATime = 16;

// How many queries from the first on may read the rows of one user together; 1: the first may not.
size_t joint_run(std::span<const Query* const> queries, std::span<const uint32_t> order) {
  const Query& first = *queries[order.front()];
  const auto joins = [&](const Query& query) {
    const bool alike = is_exact(first) ? is_exact(query) : !is_exact(query) && query.recall == first.recall;
    return alike && query.user == first.user && JointScans::serves(query);
  };
  size_t count = 0;
  while (count < std::min(order.size(), JointScans::kMost) && joins(*queries[order[count]])) ++count;
  return std::max<size_t>(count, 1);
}

}  // namespace

// False, with nothing done, if they have to be searched one by one.
bool Index::search_together(std::span<const Query* const> queries, std::span<SearchResult* const> results) const {
  const auto user = find(queries.front()->user);
  if (!user) return false;
  const Query& first = *queries.front();
  // Spares most the preparation; it may be otherwise by the time that the user is locked, who looks again.
  if (!is_exact(first) && !user->reads_all(first.recall)) return false;
  SearchScratch& scratch = SearchScratch::of_thread();
  JointScans& scans = JointScans::of_thread();
  scans.clear();
  for (const Query* const query : queries) {
    prepare(*query, config_, analyzer_, scratch.prepared);
    scans.add(scratch.prepared);
  }
  const auto prepare_one = [&](size_t i) -> SearchResult& {
    prepare(*queries[i], config_, analyzer_, scratch.prepared);
    scratch.track = track_uses_ && queries[i]->track;
    return *results[i];
  };
  const bool done = user->search_together(config_, scans, scratch, std::cref(prepare_one));  // a reference: no memory
  scratch.trim();
  return done;
}

std::vector<SearchResult> Index::search_many(std::span<const Query* const> queries, unsigned threads) const {
  std::vector<SearchResult> results(queries.size());
  const size_t cores = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const size_t workers = std::clamp<size_t>(queries.size() / kQueriesWorthAThread, 1, cores);
  const size_t at_a_time = std::clamp<size_t>(queries.size() / (4 * workers), 1, kMostAtATime);
  const std::vector<uint32_t> order =
      search_order(queries, config_.dim, workers, [this](std::string_view user) { return find(user); });
  share_out(workers, order.size(), at_a_time, [&](size_t first, size_t last) {
    std::array<const Query*, JointScans::kMost> asked;
    std::array<SearchResult*, JointScans::kMost> answers;
    for (size_t i = first; i < last;) {
      const size_t run = joint_run(queries, std::span(order).subspan(i, last - i));
      for (size_t j = 0; j < run; ++j) {
        asked[j] = queries[order[i + j]];
        answers[j] = &results[order[i + j]];
      }
      if (run == 1 || !search_together(std::span(asked).first(run), std::span(answers).first(run))) {
        for (size_t j = 0; j < run; ++j) search(*asked[j], *answers[j]);
      }
      i += run;
    }
  });
  return results;
}

}  // namespace memspan
