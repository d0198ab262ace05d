#include "query/joint_scans.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/top_k.hpp"

namespace memspan {

bool JointScans::serves(const Query& query) {
  if (query.embedding.empty() || query.route > 0) return false;
  if (query.views && std::find(query.views->begin(), query.views->end(), View::semantic) == query.views->end()) return false;
  return !query.between && !query.kinds && query.require_tags.empty() && query.where.empty() && query.exclude.empty() &&
         !query.as_of && !query.valid_at;
}

void JointScans::clear() {
  for (Scan& scan : scans_) {
    if (std::max(scan.scratch.near.size(), scan.scratch.rescored.capacity()) > kMostKept) scan = {};
    scan.found.reading = {};
  }
  size_ = 0;
}

void JointScans::add(const PreparedQuery& prepared) {
  Scan& scan = scans_[size_++];
  scan.query = prepared.unit_embedding;
  scan.depth = prepared.depth;
  scan.exact = is_exact(*prepared.query);
}

void JointScans::run(const UserColumns& user) {
  std::array<std::optional<TopK>, kMost> tops;
  std::array<RowScan, kMost> searches;
  for (size_t i = 0; i < size_; ++i) {
    Scan& scan = scans_[i];
    scan.found.reading.scan = scan.exact ? "exact scan" : "probe";
    TopK& best = tops[i].emplace(scan.depth, user.recency(), scan.found.best);
    searches[i] = {scan.query.data(), scan.depth, &scan.scratch, &scan.found.reading, &best, scan.exact};
  }
  user.vectors.scan(std::span(searches).first(size_));
  for (size_t i = 0; i < size_; ++i) tops[i]->sort();
}

}  // namespace memspan
