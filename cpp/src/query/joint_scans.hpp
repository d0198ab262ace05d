// Searches of one user that read all rows, and read them together: a block of codes, or of rows, is compared with all of their
// vectors while it is in the cache, and each finds the bits that it would find alone. Exact ones do so, and all where blocks cannot
// be told apart.
//
// Lives as long as its thread. Memory: some kilobytes for each search and, where many rows come near the best, 8 bytes for each.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "index/user_columns.hpp"
#include "query/prepared_query.hpp"
#include "query/views.hpp"
#include "vectors/vector_search.hpp"

namespace memspan {

class JointScans {
 public:
  static constexpr size_t kMost = kScansTogether;

  // May the query read every row? An exact one does if nothing of the user is left out (Admission::all), others if that
  // costs less than to choose among blocks, too (VectorTable::reads_all).
  static bool serves(const Query& query);

  static JointScans& of_thread() {
    thread_local JointScans scans;
    return scans;
  }
  // Forgets the searches, and lets their memory go if they made it grow.
  void clear();

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
    bool exact = true;
    SemanticFound found;
    VectorScratch scratch;
  };
  static constexpr size_t kMostKept = 1u << 16;  // rows near the best of a search

  std::array<Scan, kMost> scans_;
  size_t size_ = 0;
};

}  // namespace memspan
