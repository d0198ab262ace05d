// The memory that a thread keeps between searches, so that a search allocates nothing once it has grown.
#pragma once

#include <vector>

#include "base/slot_table.hpp"
#include "query/admission.hpp"
#include "query/boosting_tags.hpp"
#include "query/fusion.hpp"
#include "query/hinted_records.hpp"
#include "query/prepared_query.hpp"
#include "query/views.hpp"

namespace memspan {

// Everything that a search makes on its way from a query to an answer. Lives as long as its thread; what it holds means
// something only while a search runs, under the lock of the user who is searched. No search starts within another one
// on the same thread. Memory: some kilobytes and, where filters need them, a bit or 4 bytes for each record and a byte for
// each different metadata of the largest user searched.
struct SearchScratch {
  PreparedQuery prepared;
  Admission admission;
  CandidateLists candidates;
  BoostingTags boosting;
  HintedRecords hinted;
  SlotTable positions;
  std::vector<FusedHit> hits;
  std::vector<Slot> newest;
  const SemanticFound* scanned = nullptr;  // what the semantic view finds, if that is known before
  bool track = false;  // are the hits uses of their records?

  static SearchScratch& of_thread() {
    thread_local SearchScratch scratch;
    return scratch;
  }

  size_t bytes() const;
  // Lets everything go if a search made it grow beyond kMostBytes: a thread may live long after a huge query.
  void trim();

  static constexpr size_t kMostBytes = 16u << 20;
};

}  // namespace memspan
