// What a consolidation did (SwiftMem 3.4), and where it put a tag's records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memspan {

// Of one user, or of several: then counts are sums, and shares and ratios are means weighted by rows. Of a user that was
// skipped it says how the user lies, before and after alike.
struct ConsolidationReport {
  uint64_t users = 0;    // looked at
  uint64_t skipped = 0;  // of those, left as they were, because the estimated gain was too small
  uint64_t rows = 0;     // records with an embedding, of all users that were looked at
  uint64_t records = 0;  // and that were laid out: of those that were consolidated, of a large one perhaps the young rows alone
  uint64_t clusters = 0;  // that those have now
  uint64_t blocks_before = 0;
  uint64_t blocks_after = 0;
  uint64_t clustered_by_tags = 0;  // users that were consolidated, whose clusters are those of their tags; the others' come from the vectors
  uint64_t clustered_anew = 0;  // users for whose rows clusters were found anew; the others' joined those that there were
  // Edges / possible edges between the tags of different records of a block, each as often as it occurs; mean weighted by
  // rows. The late rows, young or fresh, are one more block. 0: there are no tags.
  double cohesion_before = 0.0;
  double cohesion_after = 0.0;
  double fragmentation_before = 0.0;  // share of the rows that lie outside their cluster, or are dead
  double fragmentation_after = 0.0;
  uint64_t bytes_moved = 0;
  double estimated_gain = 1.0;  // rows that a search reads before / after; of a skipped user, what a consolidation would bring
  double measured_gain = 1.0;   // seconds that the same searches took before / after
  double seconds = 0.0;
};

// What an index that consolidates by itself did.
struct AutoConsolidations {
  static constexpr size_t kReports = 16;

  uint64_t done = 0;
  uint64_t failed = 0;   // without memory or a thread; tried again after later writes
  uint64_t waiting = 0;  // users, the one that is being worked on included
  std::vector<ConsolidationReport> reports = {};  // of the last kReports, oldest first; one user each
};

// An entry of SwiftMem's layout map, tag -> (start, end, cluster, n): the span of rows of the cluster that holds most
// of the tag's records, and how many it holds.
struct TagSpan {
  std::string tag;
  uint32_t start = 0;
  uint32_t end = 0;  // exclusive
  uint32_t cluster = 0;
  uint32_t records = 0;
};

}  // namespace memspan
