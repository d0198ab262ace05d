// Measured at 200,000 records of 384 dimensions (894 blocks, 77 MB of codes), one thread: 1,000 queries take 28 us each
// instead of 33 where clusters come from tags, so that the blocks of one topic are neighbours, and 31 where they come
// from vectors; finding the blocks is 3 us of that. With 500 queries 4 % are won, with fewer nothing, nor with 10,000
// records, whose codes stay in the cache anyway.
#include "index/search_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/share_out.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

constexpr size_t kLeastRun = 64;      // queries of one user
constexpr size_t kBlocksForEach = 2;  // as many blocks for each query, at most
constexpr size_t kAtATime = 64;       // queries whose blocks are found under one lock: a tenth of a millisecond

bool probes(const Query& query) { return !query.embedding.empty() && !query.exact; }

// The queries of `run` by their nearest blocks; those that probe none come first.
void order_by_block(std::span<const Query* const> queries, std::span<uint32_t> run, size_t dim, size_t workers,
                    const UserIndex& user) {
  struct Placed {
    uint32_t block;
    uint32_t query;
  };
  std::vector<Placed> placed(run.size());
  const size_t team = std::clamp<size_t>(run.size() / kAtATime, 1, workers);
  share_out(team, run.size(), kAtATime, [&](size_t first, size_t last) {
    std::vector<float> units;
    units.reserve((last - first) * dim);
    RowList rows{RowShape(dim)};
    for (size_t i = first; i < last; ++i) {
      const Query& query = *queries[run[i]];
      if (!probes(query)) continue;
      units.resize(units.size() + dim);
      rows.push_back(units.data() + units.size() - dim);
      normalize_checked(query.embedding, dim, "embedding", units.data() + units.size() - dim);
    }
    const std::vector<uint32_t> blocks = user.nearest_blocks(rows);
    for (size_t i = first, at = 0; i < last; ++i) {
      const bool known = probes(*queries[run[i]]) && at < blocks.size();
      placed[i] = {known ? blocks[at++] + 1 : 0, run[i]};
    }
  });
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.block < b.block; });
  for (size_t i = 0; i < run.size(); ++i) run[i] = placed[i].query;
}

}  // namespace

std::vector<uint32_t> search_order(std::span<const Query* const> queries, size_t dim, size_t workers,
                                   const std::function<std::shared_ptr<UserIndex>(std::string_view)>& find) {
  std::vector<uint32_t> order(queries.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto by_user = [&](uint32_t a, uint32_t b) { return queries[a]->user < queries[b]->user; };
  if (!std::is_sorted(order.begin(), order.end(), by_user)) std::stable_sort(order.begin(), order.end(), by_user);

  for (size_t first = 0; first < order.size();) {
    const Query& query = *queries[order[first]];
    size_t last = first + 1;
    while (last < order.size() && queries[order[last]]->user == query.user) ++last;
    if (last - first >= kLeastRun) {
      const auto user = find(query.user);
      const size_t blocks = user ? user->blocks_beyond_cache() : 0;
      if (blocks > 0 && blocks <= kBlocksForEach * (last - first)) {
        order_by_block(queries, std::span(order).subspan(first, last - first), dim, workers, *user);
      }
    }
    first = last;
  }
  return order;
}

}  // namespace memspan
