// The searches of VectorTable by codes: exact scores for what comes near the best, among the blocks that are worth it.
#include "vectors/vector_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/prefetch.hpp"
#include "simd/kernels.hpp"
#include "timeline/intervals.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// Rows scored before the scores are looked at: their scores stay in the first-level cache, and the threshold is young.
constexpr size_t kScanTile = 128;
constexpr size_t kGatherTile = VectorScratch::kGathered;
constexpr size_t kOfferTile = 64;
// Blocks that are probed before the threshold decides on the others.
constexpr size_t kFirstBlocks = 6;
// What is known of the reach is for the best so many among rows that may all come back.
constexpr float kTriedDepth = 2.0f * static_cast<float>(ProbeReach::kDepths.back());
constexpr float kHighRecall = 0.99f;  // what is known of the share that searches read is for one like this

// Nanoseconds measured at 10,000 and 200,000 rows of 384 dimensions; only their ratios matter.
constexpr double kGatheredRow = 12.0;  // waits for memory
constexpr double kScannedRow = 4.0;
constexpr double kSiftedRow = 2.0;     // half as much, with its share of those that are left, at 20,000 and 100,000 rows
constexpr double kCentroid = 10.0;     // scored, and its bound made
constexpr double kProbedBlock = 150.0;
constexpr double kProbedSpan = 400.0;  // the times of the block searched too, which are not in the cache

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

// Calls use(first, last) for the rows of the block that lie in the intervals, if there are any.
template <typename Use>
void VectorTable::for_each_span(const Block& block, std::span<const Interval> intervals, Use use) const {
  if (intervals.empty()) {
    if (block.start != block.end) use(block.start, block.end);
    return;
  }
  // Rows of a block lie in the order of time.
  const Micros* const ats = layout_->rows.ats();
  const Micros* const end = ats + block.end;
  for (const Interval& interval : intervals) {
    const Micros* const first = std::lower_bound(ats + block.start, end, interval.start);
    const Micros* const last = std::lower_bound(first, end, interval.end);
    if (first != last) use(static_cast<uint32_t>(first - ats), static_cast<uint32_t>(last - ats));
  }
}

void VectorTable::scan_block(const Block& block, const VectorFilter& filter, VectorScratch& scratch,
                             VectorSearchStats& stats) const {
  const CodeRows& rows = layout_->rows;
  ++stats.blocks_probed;
  for_each_span(block, filter.intervals, [&](uint32_t first, uint32_t last) {
    if (filter.admitted == nullptr && !filter.also) {
      scan_codes(rows, first, last - first, scratch, stats, [](Slot, size_t) { return true; });
    } else {
      scan_codes(rows, first, last - first, scratch, stats, [&](Slot slot, size_t) { return filter.admits(slot); });
    }
  });
}

// Of the rows of a block, by a sample.
float VectorTable::admitted_share(const Block& block, const VectorFilter& filter) const {
  constexpr uint32_t kSampled = 32;
  const CodeRows& rows = layout_->rows;
  const uint32_t step = (block.end - block.start - 1) / kSampled + 1;
  uint32_t asked = 0;
  uint32_t admitted = 0;
  for (uint32_t p = block.start; p < block.end; p += step) {
    ++asked;
    const Slot slot = rows.slot(p);
    const bool in_time = filter.intervals.empty() || find_interval(filter.intervals, rows.ats()[p]) != nullptr;
    if (slot != kNoSlot && in_time && filter.admits(slot)) ++admitted;
  }
  return static_cast<float>(admitted) / static_cast<float>(asked);
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

bool VectorTable::probe(const float* query, size_t k, float recall, const VectorFilter& filter, VectorScratch& scratch,
                        VectorSearchStats& stats) const {
  const ClusterLayout& layout = *layout_;
  const size_t count = layout.blocks.size();
  stats.blocks += static_cast<uint32_t>(count);
  const float reach = layout.reach.at(k, recall);
  if (std::isinf(reach) || count <= kFirstBlocks) {
    for (const Block& block : layout.blocks) scan_block(block, filter, scratch, stats);
    return true;
  }

  scratch.bounds.resize(count);
  scratch.order.resize(count);
  float* const bounds = scratch.bounds.data();
  scratch.query.score(layout.centroids, 0, count, bounds);
  stats.rows_read += static_cast<uint32_t>(count);
  const float scale = scratch.query.scale();
  const float to_raw = 1.0f / scale;
  for (size_t b = 0; b < count; ++b) {
    const float cosine = std::clamp(bounds[b] * scale, -1.0f, 1.0f);
    bounds[b] = (cosine * layout.means[b] + reach * layout.spread(b, cosine)) * to_raw;
  }

  const auto more_promising = [bounds](uint32_t a, uint32_t b) { return bounds[a] > bounds[b] || (bounds[a] == bounds[b] && a < b); };
  // The most promising blocks, kept sorted while the bounds are passed once.
  std::array<uint32_t, kFirstBlocks> first;
  size_t taken = 0;
  for (uint32_t b = 0; b < count; ++b) {
    if (taken == kFirstBlocks && bounds[b] <= bounds[first[taken - 1]]) continue;
    size_t place = taken < kFirstBlocks ? taken++ : taken - 1;
    for (; place > 0 && bounds[first[place - 1]] < bounds[b]; --place) first[place] = first[place - 1];
    first[place] = b;
  }
  // Where the filter, or a removal, hides what is nearest to the query, or more is wanted than the calibration tried, the
  // best may lie high in many blocks. Then the search goes by what the blocks bring.
  const bool unfiltered = filter.admitted == nullptr && filter.intervals.empty() && !filter.also;
  const bool whole = unfiltered && layout.dead == 0;
  const float share = whole ? 1.0f : admitted_share(layout.blocks[first[0]], filter);
  const bool untried = static_cast<float>(k) > kTriedDepth * share;
  size_t read = 0;
  scratch.recent.reset();
  const auto read_block = [&](uint32_t b) {
    scan_block(layout.blocks[b], filter, scratch, stats);
    bounds[b] = -std::numeric_limits<float>::infinity();
    ++read;
    if (untried) scratch.recent.note(read, scratch.near);
  };
  for (const uint32_t b : first) {
    if (bounds[b] < scratch.near.kth()) break;
    read_block(b);
    scratch.near.settle();
  }
  if (read < kFirstBlocks) return true;

  const bool in_spans = !filter.intervals.empty();
  const double rows = static_cast<double>(in_spans ? filter.count : layout.size) / static_cast<double>(count);
  const double cost = (in_spans ? kProbedSpan : kProbedBlock) + rows * (layout.short_rows ? kSiftedRow : kScannedRow);
  const auto gives_up = [&](size_t blocks) {
    return filter.count > 0 && static_cast<double>(blocks) * cost > static_cast<double>(filter.count) * kGatheredRow;
  };
  constexpr float kUnread = std::numeric_limits<float>::lowest();  // at least, of the bounds of blocks that were not read
  const size_t left = kernels().select_above(bounds, count, std::max(scratch.near.kth(), kUnread), scratch.order.data());
  if (gives_up(left)) return false;
  if (layout.short_rows && !scratch.near.empty()) {
    stats.blocks_probed += static_cast<uint32_t>(left);
    scratch.spans.clear();
    for (const uint32_t b : std::span(scratch.order).first(left)) {
      for_each_span(layout.blocks[b], filter.intervals, [&](uint32_t start, uint32_t end) { scratch.spans.push_back({start, end}); });
    }
    if (!scratch.spans.empty()) sift(query, k, recall, filter, scratch, stats);
    return true;
  }
  std::sort(scratch.order.begin(), scratch.order.begin() + static_cast<std::ptrdiff_t>(left), more_promising);
  size_t settled = scratch.near.size();
  for (size_t i = 0; i < left; ++i) {
    const uint32_t b = scratch.order[i];
    if (bounds[b] < scratch.near.kth()) break;
    read_block(b);
    if (scratch.near.size() >= settled + std::max<size_t>(k / 4, 4)) {
      scratch.near.settle();
      settled = scratch.near.size();
    }
  }
  if (!untried) return true;

  const auto allowed = static_cast<size_t>((1.0f - recall) * static_cast<float>(k));
  while (read < count && scratch.recent.count(scratch.near) > allowed) {
    const size_t unread = kernels().select_above(bounds, count, kUnread, scratch.order.data());
    const size_t next = std::min(read, unread);
    if (gives_up(next)) return false;
    std::partial_sort(scratch.order.begin(), scratch.order.begin() + static_cast<std::ptrdiff_t>(next),
                      scratch.order.begin() + static_cast<std::ptrdiff_t>(unread), more_promising);
    for (const uint32_t b : std::span(scratch.order).first(next)) read_block(b);
  }
  return true;
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

// Reading on from one block to the next spares what it takes to choose among them, if a search for ten reads many.
bool VectorTable::reads_all(float recall) const {
  if (!layout_ || layout_->blocks.size() <= kFirstBlocks) return true;
  if (layout_->short_rows || recall < kHighRecall) return false;
  const auto blocks = static_cast<double>(layout_->blocks.size());
  const double rows = kScannedRow * static_cast<double>(layout_->size);
  return rows < kCentroid * blocks + static_cast<double>(layout_->probed_share) * (kProbedBlock * blocks + rows);
}

void VectorTable::scan_layout(size_t k, VectorScratch& scratch, VectorSearchStats& stats) const {
  stats.blocks += static_cast<uint32_t>(layout_->blocks.size());
  stats.blocks_probed += static_cast<uint32_t>(layout_->blocks.size());
  size_t settled = 0;
  for (size_t first = 0; first < layout_->size; first += kScanTile) {
    const size_t count = std::min(kScanTile, layout_->size - first);
    scan_codes(layout_->rows, first, count, scratch, stats, [](Slot, size_t) { return true; });
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
  if (layout_ && !filtered && reads_all(recall)) {
    scan_layout(k, scratch, stats);
  } else if (layout_) {
    scratch.near.settle();
    if (!probe(query, k, recall, filter, scratch, stats)) return false;
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
  const CodeRows* const clustered = layout_ ? &layout_->rows : nullptr;
  for (const Slot slot : slots) {
    const uint32_t place = places_[slot];
    if (place == kNowhere) continue;
    const auto [home, at] =
        region(place) == kClustered ? std::pair(clustered, size_t{position(place)}) : find_codes(place);
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
  if (region(place) == kClustered) return {&layout_->rows, position(place)};
  return fresh_[region(place) - kFresh]->find(position(place));
}

size_t VectorTable::probing_cost(size_t admitted, size_t k, bool in_spans) const {
  const size_t fresh = fresh_rows();
  double cost = kScannedRow * static_cast<double>(fresh);
  if (layout_ && admitted > 0) {
    const auto rows = static_cast<double>(layout_->size);
    const auto blocks = static_cast<double>(layout_->blocks.size());
    const double share = std::min(1.0, static_cast<double>(admitted) / std::max(1.0, static_cast<double>(count_)));
    // The fewer rows are admitted, or the more of them are wanted, the worse the k-th best of them, and the more blocks
    // may hold a better one: about as many more as 1 / sqrt(share), for ten.
    const double wanted = std::max(1.0, static_cast<double>(k) / 10.0);
    const double probed = std::min(1.0, static_cast<double>(layout_->probed_share) / std::sqrt(share / wanted));
    cost += blocks * kCentroid + probed * (in_spans ? blocks * kProbedSpan + rows * share * kScannedRow
                                                    : blocks * kProbedBlock + rows * kScannedRow);
  }
  return static_cast<size_t>(cost / kGatheredRow);
}

}  // namespace memspan
