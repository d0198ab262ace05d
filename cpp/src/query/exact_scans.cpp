#include "query/exact_scans.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/top_k.hpp"

namespace memspan {

bool ExactScans::serves(const Query& query) {
  if (query.embedding.empty() || query.route > 0 || !(query.exact || query.recall >= 1.0f)) return false;
  if (query.views && std::find(query.views->begin(), query.views->end(), View::semantic) == query.views->end()) return false;
  return !query.between && !query.kinds && query.require_tags.empty() && query.where.empty() && query.exclude.empty() &&
         !query.as_of && !query.valid_at;
}

void ExactScans::add(const PreparedQuery& prepared) {
  Scan& scan = scans_[size_++];
  scan.query = prepared.unit_embedding;
  scan.depth = prepared.depth;
}

void ExactScans::run(const UserColumns& user) {
  std::array<std::optional<TopK>, kMost> tops;
  std::array<TopK*, kMost> best;
  std::array<const float*, kMost> queries;
  for (size_t i = 0; i < size_; ++i) {
    best[i] = &tops[i].emplace(scans_[i].depth, user.recency(), scans_[i].best);
    queries[i] = scans_[i].query.data();
  }
  user.vectors.scan(std::span(queries).first(size_), std::span(best).first(size_));
  for (size_t i = 0; i < size_; ++i) best[i]->sort();
}

}  // namespace memspan
