// What a search over vectors is told, uses and tells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bitset.hpp"
#include "base/slot_test.hpp"
#include "base/top_k.hpp"
#include "memspan/types.hpp"
#include "vectors/code_query.hpp"
#include "vectors/near_best.hpp"
#include "vectors/recent_finds.hpp"
#include "vectors/short_rows.hpp"

namespace memspan {

// Which rows may come back.
struct VectorFilter {
  const Bitset* admitted = nullptr;          // null: every row of the intervals; otherwise all lie in them
  std::span<const Interval> intervals = {};  // disjoint, ascending; empty: any time
  SlotTest also = {};  // to be asked besides, of rows that come near the best alone
  // How many rows that lets through, more or less, if the caller can list them: a search that turns out to read more than those gives
  // up. 0: it may not.
  size_t count = 0;

  // Of a row of the intervals.
  bool admits(Slot slot) const { return (admitted == nullptr || admitted->test(slot)) && (!also || also(slot)); }
};

struct VectorSearchStats {
  uint32_t rows_read = 0;
  uint32_t short_rows_read = 0;
  uint32_t blocks = 0;
  uint32_t blocks_probed = 0;
  uint32_t rescored = 0;
};

// Positions of a layout, one after the other.
struct RowSpan {
  uint32_t start = 0;
  uint32_t end = 0;  // exclusive
};

// Memory that a thread keeps between searches.
struct VectorScratch {
  // Rows that are gathered in one go: the kernel fetches rows ahead of it, and starts anew with each call.
  static constexpr size_t kGathered = 512;

  CodeQuery query;
  float by_scale = 0.0f;            // times a row's scale, what is added to its score by codes
  NearBest near;
  RecentFinds recent;
  std::vector<int8_t> queries;      // codes of several, one after the other
  std::vector<float> scores;        // of a tile of rows
  std::vector<uint32_t> selected;   // in it
  std::vector<uint32_t> passing;    // in a tile that is sifted; kept while rows of it are gathered, which selects others
  std::vector<uint32_t> positions;  // of rows to gather
  std::vector<Slot> gathered;       // whose rows they are
  std::vector<float> bounds;        // by block: what its best row may score
  std::vector<uint32_t> order;      // blocks to probe
  std::vector<RowSpan> spans;       // of rows to sift
  std::vector<float> short_scores;  // by position
  std::vector<float> sample;        // of those
  std::vector<Candidate> rescored;  // with exact scores
};

// More exact searches of rows of 384 floats would take longer than the way of these from memory.
inline constexpr size_t kScansTogether = 8;

// One of several searches that read all rows together.
struct RowScan {
  const float* query;  // of length 1
  size_t k;
  VectorScratch* scratch;  // of its own
  VectorSearchStats* stats;
  TopK* best;
  bool exact = true;  // or as VectorTable::nearest
  bool by_codes = false;  // so far
  CodeQuery::SureError error = {};
  size_t look_at = 0;  // how many may be left until it is looked at them
};

}  // namespace memspan
