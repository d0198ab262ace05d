// The searches of VectorTable by codes: exact scores for what comes near the best, among the blocks that are worth it
// (vector_probe.cpp).
#include "vectors/vector_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/prefetch.hpp"
#include "simd/kernels.hpp"
#include "timeline/intervals.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// Calls use(first, last) for the rows of the block that lie in the intervals, if there are any.
template <typename Use>
void for_each_span(const ClusterLayout& layout, const Block& block, std::span<const Interval> intervals, Use use) {
  if (intervals.empty()) {
    if (block.start != block.end) use(block.start, block.end);
    return;
  }
  // Rows of a block lie in the order of time.
  const Micros* const ats = layout.rows.ats();
  const Micros* const end = ats + block.end;
  for (const Interval& interval : intervals) {
    const Micros* const first = std::lower_bound(ats + block.start, end, interval.start);
    const Micros* const last = std::lower_bound(first, end, interval.end);
    if (first != last) use(static_cast<uint32_t>(first - ats), static_cast<uint32_t>(last - ats));
  }
}

// Rows scored before the scores are looked at: their scores stay in the first-level cache, and the threshold is young.
constexpr size_t kScanTile = 128;
constexpr size_t kGatherTile = VectorScratch::kGathered;
constexpr size_t kOfferTile = 64;

}  // namespace

void VectorTable::prefetch(Slot slot) const {
  if (!has(slot)) return;
  const std::byte* const row = rows_.row(slot);
  for (size_t i = 0; i < shape_.bytes(); i += 64) prefetch_line_to_l2(row + i);
}

void VectorTable::prefetch_codes(Slot slot) const {
  if (!has(slot)) return;
  const auto [rows, position] = find_codes(places_[slot]);
  const uint8_t* const codes = rows->codes(position);
  for (size_t i = 0; i < rows->stride(); i += 64) prefetch_line_to_write(codes + i);
}

void VectorTable::begin_search(const float* query, size_t k, VectorScratch& scratch) const {
  scratch.query.set(query, dim());
  scratch.by_scale = 0.0f;
  scratch.near.reset(k, scratch.query.to_raw(scratch.query.margin(max_scale_)));
  make_room(scratch);
}

void VectorTable::make_room(VectorScratch& scratch) {
  scratch.scores.resize(kGatherTile);
  scratch.selected.resize(kGatherTile);
  scratch.gathered.resize(kGatherTile);
}

// Offers rows [first, first + count), whose scores by codes these are; they may be overwritten.
template <typename Admits>
void VectorTable::offer_scored(const CodeRows& rows, size_t first, size_t count, float* scores, VectorScratch& scratch,
                               Admits admits) const {
  if (scratch.near.empty()) {
    const size_t together = std::min(NearBest::kFirst, count);
    size_t admitted = 0;
    for (size_t i = 0; i < together; ++i) {
      const Slot slot = rows.slot(first + i);
      if (slot == kNoSlot || !admits(slot, first + i)) continue;
      scores[admitted] = scores[i];
      scratch.gathered[admitted++] = slot;
    }
    scratch.near.offer_first(scores, scratch.gathered.data(), admitted);
    first += together;
    scores += together;
    count -= together;
  }
  const size_t found = kernels().select_above(scores, count, scratch.near.threshold(), scratch.selected.data());
  for (size_t i = 0; i < found; ++i) {
    const uint32_t at = scratch.selected[i];
    const Slot slot = rows.slot(first + at);
    if (slot != kNoSlot && admits(slot, first + at)) scratch.near.offer(scores[at], slot);
  }
}

void VectorTable::offer_scored(const CodeRows& rows, size_t first, size_t count, float* scores, const Bitset* allowed,
                               VectorScratch& scratch) const {
  offer_scored(rows, first, count, scores, scratch, [=](Slot slot, size_t) { return allowed == nullptr || allowed->test(slot); });
}

template <typename Admits>
void VectorTable::scan_codes(const CodeRows& rows, size_t first, size_t count, VectorScratch& scratch,
                             VectorSearchStats& stats, Admits admits) const {
  rows.check(first, count);
  stats.rows_read += static_cast<uint32_t>(count);
  for (const size_t end = first + count; first < end;) {
    const size_t tile = std::min(scratch.near.empty() ? NearBest::kFirst : kScanTile, end - first);
    scratch.query.score(rows, first, tile, scratch.scores.data());
    offer_scored(rows, first, tile, scratch.scores.data(), scratch, admits);
    first += tile;
  }
}

template <typename Admits>
void VectorTable::scan_fresh(VectorScratch& scratch, VectorSearchStats& stats, Admits admits) const {
  for (const auto& fresh : fresh_) {
    for (size_t first = 0; fresh && first < fresh->size();) {
      const FreshRows::Run run = fresh->run(first);
      scan_codes(*run.rows, run.offset, run.count, scratch, stats,
                 [&](Slot slot, size_t position) { return admits(slot, run.rows->ats()[position]); });
      first += run.count;
    }
  }
}

void VectorTable::collect_spans(const ClusterLayout& layout, std::span<const uint32_t> blocks, const VectorFilter& filter,
                                VectorScratch& scratch) {
  scratch.spans.clear();
  for (const uint32_t b : blocks) {
    for_each_span(layout, layout.blocks[b], filter.intervals, [&](uint32_t start, uint32_t end) { scratch.spans.push_back({start, end}); });
  }
}

void VectorTable::scan_block(const ClusterLayout& layout, const Block& block, const VectorFilter& filter, VectorScratch& scratch,
                             VectorSearchStats& stats) const {
  const CodeRows& rows = layout.rows;
  ++stats.blocks_probed;
  for_each_span(layout, block, filter.intervals, [&](uint32_t first, uint32_t last) {
    if (filter.admitted == nullptr && !filter.also) {
      scan_codes(rows, first, last - first, scratch, stats, [](Slot, size_t) { return true; });
    } else {
      scan_codes(rows, first, last - first, scratch, stats, [&](Slot slot, size_t) { return filter.admits(slot); });
    }
  });
}

// Scores and offers the rows at scratch.positions, whose slots are scratch.gathered.
void VectorTable::offer_gathered(const CodeRows& rows, size_t count, VectorScratch& scratch) const {
  const Kernels& simd = kernels();
  simd.code_gather(scratch.query.codes(), scratch.query.offset(), rows.codes(), rows.stride(), rows.scales(),
                   scratch.positions.data(), count, rows.stride(), scratch.scores.data());
  if (scratch.by_scale != 0.0f) {
    for (size_t i = 0; i < count; ++i) scratch.scores[i] += scratch.by_scale * rows.scales()[scratch.positions[i]];
  }
  size_t first = 0;
  if (scratch.near.empty()) {
    first = std::min(count, NearBest::kFirst);
    scratch.near.offer_first(scratch.scores.data(), scratch.gathered.data(), first);
  }
  // In small steps, so that the first ones spare the others the offers.
  for (; first < count; first += kOfferTile) {
    const float* const scores = scratch.scores.data() + first;
    const size_t found =
        simd.select_above(scores, std::min(kOfferTile, count - first), scratch.near.threshold(), scratch.selected.data());
    for (size_t i = 0; i < found; ++i) {
      const uint32_t at = scratch.selected[i];
      scratch.near.offer(scores[at], scratch.gathered[first + at]);
    }
  }
}

void VectorTable::rescore(const float* query, size_t k, VectorScratch& scratch, VectorSearchStats& stats) const {
  scratch.near.prune();
  const std::span<const Candidate> items = scratch.near.items();
  stats.rescored += static_cast<uint32_t>(items.size());
  scratch.rescored.clear();
  scratch.rescored.reserve(std::max(items.size(), 2 * k));
  score_each(query, items.size(), [&](size_t i) { return items[i].slot; },
             [&](size_t i, float cosine) { scratch.rescored.push_back({cosine, items[i].slot}); });
}

void VectorTable::scan_span(const ClusterLayout& layout, RowSpan span, size_t k, VectorScratch& scratch,
                            VectorSearchStats& stats) const {
  size_t settled = scratch.near.size();
  for (size_t first = span.start; first < span.end; first += kScanTile) {
    const size_t count = std::min(kScanTile, span.end - first);
    scan_codes(layout.rows, first, count, scratch, stats, [](Slot, size_t) { return true; });
    if (scratch.near.size() < settled + k / 4 + 4) continue;
    scratch.near.settle();
    settled = scratch.near.size();
  }
}

bool VectorTable::nearest(const float* query, size_t k, float recall, const VectorFilter& filter,
                          VectorScratch& scratch, VectorSearchStats& stats) const {
  begin_search(query, k, scratch);
  if (filter.admitted == nullptr && !filter.intervals.empty()) {
    scan_fresh(scratch, stats, [&](Slot slot, Micros at) {
      return find_interval(filter.intervals, at) != nullptr && filter.admits(slot);
    });
  } else if (filter.admitted != nullptr || filter.also) {
    scan_fresh(scratch, stats, [&](Slot slot, Micros) { return filter.admits(slot); });
  } else {
    scan_fresh(scratch, stats, [](Slot, Micros) { return true; });
  }
  const bool filtered = filter.admitted != nullptr || !filter.intervals.empty() || filter.also;
  const bool whole = !filtered && reads_all(recall);
  for (const Share& share : shares(filter.count, filter.intervals)) {
    const ClusterLayout* const layout = share.layout;
    if (layout == nullptr) continue;
    if (whole || (!filtered && reads_all(*layout, recall))) {
      stats.blocks += static_cast<uint32_t>(layout->blocks.size());
      stats.blocks_probed += static_cast<uint32_t>(layout->blocks.size());
      scan_span(*layout, {0, static_cast<uint32_t>(layout->size)}, k, scratch, stats);
      continue;
    }
    scratch.near.settle();
    if (!probe(share, query, k, recall, filter, scratch, stats)) return false;
  }
  rescore(query, k, scratch, stats);
  return true;
}

void VectorTable::nearest_of(const float* query, size_t k, std::span<const Slot> slots, VectorScratch& scratch,
                             VectorSearchStats& stats) const {
  // Codes pay when they spare the reading of most float rows.
  constexpr size_t kFewRows = 24;
  if (slots.size() <= std::max(kFewRows, 2 * k)) {
    scratch.rescored.clear();
    scratch.rescored.reserve(std::max(slots.size(), 2 * k));
    score_each(query, slots.size(), [&](size_t i) { return slots[i]; },
               [&](size_t i, float cosine) { scratch.rescored.push_back({cosine, slots[i]}); });
    stats.rescored += static_cast<uint32_t>(slots.size());
    return;
  }

  begin_search(query, k, scratch);
  offer_slots(slots, scratch, stats);
  rescore(query, k, scratch, stats);
}

// Offers the rows of those slots that have one.
void VectorTable::offer_slots(std::span<const Slot> slots, VectorScratch& scratch, VectorSearchStats& stats) const {
  stats.rows_read += static_cast<uint32_t>(slots.size());
  scratch.positions.resize(kGatherTile);
  const CodeRows* rows = nullptr;
  size_t gathered = 0;
  const auto flush = [&] {
    if (gathered == 0) return;
    offer_gathered(*rows, gathered, scratch);
    gathered = 0;
  };
  // Slots whose codes lie in one array go through the kernel together.
  const CodeRows* const laid_out = layout_ ? &layout_->rows : nullptr;
  for (const Slot slot : slots) {
    const uint32_t place = places_[slot];
    if (place == kNowhere) continue;
    const auto [home, at] =
        region(place) == kLaidOut ? std::pair(laid_out, size_t{position(place)}) : find_codes(place);
    home->check(at);
    if (home != rows || gathered == kGatherTile) {
      flush();
      rows = home;
    }
    scratch.gathered[gathered] = slot;
    scratch.positions[gathered++] = static_cast<uint32_t>(at);
  }
  flush();
}

std::pair<const CodeRows*, size_t> VectorTable::find_codes(uint32_t place) const {
  if (is_fresh(region(place))) return fresh_[region(place) - kFresh]->find(position(place));
  return {&layout_at(region(place)).rows, position(place)};
}

}  // namespace memspan
