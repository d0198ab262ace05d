// The search of VectorTable where blocks cannot be told apart: short rows first, codes for what they do not rule out.
#include <algorithm>
#include <functional>

#include "simd/kernels.hpp"
#include "vectors/vector_search.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// By their short rows, so many times k rows are read first. How good they are is found on a sample.
constexpr size_t kLookedAtPerHit = 3;
constexpr size_t kSampledScores = 1024;

}  // namespace

// The score by short rows that about `wanted` of the rows in scratch.spans, which are so many, reach.
float VectorTable::good_score(size_t rows, size_t wanted, VectorScratch& scratch) const {
  const size_t step = std::max<size_t>(1, rows / kSampledScores);
  std::vector<float>& sample = scratch.sample;
  sample.clear();
  for (size_t at = 0; const RowSpan& span : scratch.spans) {
    for (; at < span.end - span.start; at += step) sample.push_back(scratch.short_scores[span.start + at]);
    at -= span.end - span.start;
  }
  const auto place = sample.begin() + static_cast<std::ptrdiff_t>(std::min(sample.size() - 1, wanted / step));
  std::nth_element(sample.begin(), place, sample.end(), std::greater<>());
  return *place;
}

// Reads those rows of scratch.spans that short rows do not rule out. The k-th best so far is not what it will be, and would
// rule out little: so the rows that look best are read first. False, and nothing is read: short rows say too little of the query.
bool VectorTable::sift(const ClusterLayout& layout, const float* query, size_t k, float reach, const VectorFilter& filter,
                       VectorScratch& scratch, VectorSearchStats& stats) const {
  const CodeRows& rows = layout.rows;
  const ShortRows& shorts = *layout.short_rows;
  const ShortRows::Query short_query = shorts.query(query, reach);
  if (short_query.covered < shorts.least_covered) return false;
  scratch.short_scores.resize(ShortRows::groups(layout.size) * ShortRows::kSideBySide);
  scratch.positions.resize(VectorScratch::kGathered);
  scratch.passing.resize(VectorScratch::kGathered);
  float* const scores = scratch.short_scores.data();
  size_t total = 0;
  for (const RowSpan& span : scratch.spans) {
    shorts.score(short_query, span.start, span.end, scores);
    total += span.end - span.start;
  }
  stats.short_rows_read += static_cast<uint32_t>(total);
  const size_t of_admitted = (filter.admitted != nullptr || filter.also) && filter.count > 0 ? std::max<size_t>(1, total / filter.count) : 1;
  const float good = good_score(total, kLookedAtPerHit * k * of_admitted, scratch);

  size_t waiting = 0;
  const auto flush = [&] {
    if (waiting == 0) return;
    offer_gathered(rows, waiting, scratch);
    stats.rows_read += static_cast<uint32_t>(waiting);
    waiting = 0;
    scratch.near.settle();
  };
  const auto add = [&](uint32_t position) {
    const Slot slot = rows.slot(position);
    if (slot == kNoSlot || !filter.admits(slot)) return;
    rows.check(position);
    if (waiting == VectorScratch::kGathered) flush();
    scratch.positions[waiting] = position;
    scratch.gathered[waiting++] = slot;
  };
  // Calls use(first, count) for the rows, as many as there is room for in `passing` at a time.
  const auto for_each_tile = [&](auto use) {
    for (const RowSpan& span : scratch.spans) {
      for (uint32_t first = span.start; first < span.end; first += VectorScratch::kGathered) {
        use(first, std::min<size_t>(VectorScratch::kGathered, span.end - first));
      }
    }
  };
  const auto select = [&](uint32_t first, size_t count, float least) {
    return std::span(scratch.passing).first(kernels().select_above(scores + first, count, least, scratch.passing.data()));
  };
  for_each_tile([&](uint32_t first, size_t count) {
    for (const uint32_t at : select(first, count, good)) add(first + at);
  });
  flush();
  for_each_tile([&](uint32_t first, size_t count) {
    const float least = ShortRows::least_score(short_query, scratch.near.kth() * scratch.query.scale());
    if (least >= good) return;
    for (const uint32_t at : select(first, count, least)) {
      if (scores[first + at] < good) add(first + at);
    }
  });
  flush();
  return true;
}

}  // namespace memspan
