// Exact searches of one user that read the rows together: a block of codes, or of rows, is compared with all of their vectors
// while it is in the cache, and each finds the bits that it would find alone.
//
// Made anew for each few searches, whose reading makes up for its memory. Not for use by two threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "index/user_columns.hpp"
#include "query/prepared_query.hpp"
#include "query/views.hpp"
#include "vectors/vector_search.hpp"

namespace memspan {

class ExactScans {
 public:
  static constexpr size_t kMost = kSearchesTogether;

  // May the query read every row? If nothing of the user is left out, it does (Admission::all).
  static bool serves(const Query& query);

  size_t size() const { return size_; }
  // There must be less than kMost.
  void add(const PreparedQuery& prepared);
  // Fills the lists. O(rows dim size).
  void run(const UserColumns& user);
  // What the i-th one finds, best first, ties by recency; until the next call of anything.
  const SemanticFound& found(size_t i) const { return scans_[i].found; }

 private:
  struct Scan {
    std::vector<float> query;  // of length 1
    size_t depth = 0;
    SemanticFound found;
    VectorScratch scratch;
  };
  std::array<Scan, kMost> scans_;
  size_t size_ = 0;
};

}  // namespace memspan
