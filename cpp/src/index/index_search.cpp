// The searches of an index, one by one and many at once.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "index/user_index.hpp"
#include "memspan/index.hpp"
#include "query/scratch.hpp"
#include "timeline/intervals.hpp"

namespace memspan {

void Index::search(const Query& query, SearchResult& out) const {
  SearchScratch& scratch = SearchScratch::of_thread();
  try {
    prepare(query, config_, analyzer_, scratch.prepared);
    if (const auto user = find(query.user)) {
      user->search(config_, scratch, out);
    } else {
      out.hits.clear();
      out.explanation.reset();
      if (query.explain) out.explanation.emplace();
    }
  } catch (...) {
    out = SearchResult();
    scratch.trim();
    throw;
  }
  scratch.trim();
}

void Index::latest(std::string_view user, std::span<const Interval> between, uint32_t k, SearchResult& out) const {
  check_listing(between, k);
  out.explanation.reset();
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
  query.k = query.depth = k;
  search(query, out);
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

// The queries' numbers, those of one user in sequence.
std::vector<uint32_t> order_by_user(std::span<const Query* const> queries) {
  std::vector<uint32_t> order(queries.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto by_user = [&](uint32_t a, uint32_t b) { return queries[a]->user < queries[b]->user; };
  if (!std::is_sorted(order.begin(), order.end(), by_user)) std::stable_sort(order.begin(), order.end(), by_user);
  return order;
}

}  // namespace

std::vector<SearchResult> Index::search_many(std::span<const Query* const> queries, unsigned threads) const {
  std::vector<SearchResult> results(queries.size());
  const std::vector<uint32_t> order = order_by_user(queries);
  const size_t cores = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const size_t workers = std::clamp<size_t>(queries.size() / kQueriesWorthAThread, 1, cores);
  const size_t at_a_time = std::clamp<size_t>(queries.size() / (4 * workers), 1, kMostAtATime);

  std::atomic<size_t> next = 0;
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (size_t first = next.fetch_add(at_a_time); first < order.size(); first = next.fetch_add(at_a_time)) {
        const size_t last = std::min(order.size(), first + at_a_time);
        for (size_t i = first; i < last; ++i) search(*queries[order[i]], results[order[i]]);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = order.size();
    }
  };
  {
    std::vector<std::jthread> team;
    for (size_t i = 1; i < workers; ++i) team.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace memspan
