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
  std::array<ExactSearch, kMost> searches;
  for (size_t i = 0; i < size_; ++i) {
    Scan& scan = scans_[i];
    scan.found.reading.scan = "exact scan";
    TopK& best = tops[i].emplace(scan.depth, user.recency(), scan.found.best);
    searches[i] = {scan.query.data(), scan.depth, &scan.scratch, &scan.found.reading, &best};
  }
  user.vectors.scan(std::span(searches).first(size_));
  for (size_t i = 0; i < size_; ++i) tops[i]->sort();
}

}  // namespace memspan
