// The searches of an index, one by one and many at once.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "index/user_index.hpp"
#include "memspan/index.hpp"
#include "query/prepared_query.hpp"

namespace memspan {

void Index::search(const Query& query, SearchResult& out) const {
  out.explanation.reset();
  const PreparedQuery prepared = prepare(query, config_, analyzer_);
  if (const auto user = find(query.user)) {
    out = user->search(prepared, config_);
    return;
  }
  out.hits.clear();
  if (query.explain) out.explanation.emplace();
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

std::vector<SearchResult> Index::search_many(std::span<const Query* const> queries, unsigned threads) const {
  std::vector<SearchResult> results(queries.size());
  std::atomic<size_t> next = 0;
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t i = next++; i < queries.size(); i = next++) {
      try {
        search(*queries[i], results[i]);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = queries.size();
      }
    }
  };
  const size_t cores = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  const size_t workers = std::min(cores, queries.size());
  {
    std::vector<std::jthread> team;
    for (size_t i = 1; i < workers; ++i) team.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace memspan
