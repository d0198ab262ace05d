// The part of VectorTable's searches that chooses among blocks: those that promise most are read first, until no other can be
// expected to hold one of the best.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"
#include "timeline/intervals.hpp"
#include "vectors/vector_search.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// Blocks that are probed before the threshold decides on the others.
constexpr size_t kFirstBlocks = 6;
// What is known of the reach is for the best so many among rows that may all come back, at most; and it holds for twice as many.
constexpr auto kTriedDepth = static_cast<float>(ProbeReach::kDepths.back());
constexpr float kMostRows = 0.5f;     // as a share of all
constexpr float kHighRecall = 0.99f;  // what is known of the share that searches read is for one like this
// Where the others seem to take longer than to read the admitted rows one by one, blocks are read on until they have taken
// one part in so many of that.
constexpr size_t kPartsOfGathering = 16;
constexpr float kUnread = std::numeric_limits<float>::lowest();  // at least, of the bounds of blocks that were not read

// Nanoseconds measured at 10,000 and 200,000 rows of 384 dimensions; only their ratios matter.
constexpr double kGatheredRow = 12.0;  // waits for memory
constexpr double kScannedRow = 4.0;
constexpr double kSiftedRow = 2.0;     // half as much, with its share of those that are left, at 20,000 and 100,000 rows
constexpr double kCentroid = 10.0;     // scored, and its bound made
constexpr double kProbedBlock = 150.0;
constexpr double kProbedSpan = 400.0;  // the times of the block searched too, which are not in the cache

// The most promising blocks, best first, kept sorted while the bounds are passed once. There must be more.
std::array<uint32_t, kFirstBlocks> most_promising(std::span<const float> bounds) {
  std::array<uint32_t, kFirstBlocks> first;
  size_t taken = 0;
  for (uint32_t b = 0; b < bounds.size(); ++b) {
    if (taken == kFirstBlocks && bounds[b] <= bounds[first[taken - 1]]) continue;
    size_t place = taken < kFirstBlocks ? taken++ : taken - 1;
    for (; place > 0 && bounds[first[place - 1]] < bounds[b]; --place) first[place] = first[place - 1];
    first[place] = b;
  }
  return first;
}

}  // namespace

// One search among the blocks of a layout, which has more than kFirstBlocks.
class VectorTable::Probe {
 public:
  Probe(const VectorTable& table, const Share& share, const float* query, size_t k, float recall, const VectorFilter& filter,
        VectorScratch& scratch, VectorSearchStats& stats)
      : table_(table), share_(share), layout_(*share.layout), query_(query), k_(k), recall_(recall), filter_(filter), scratch_(scratch),
        stats_(stats) {}

  // False: it gave up.
  bool run(float reach) {
    bound_blocks(reach);
    const std::array<uint32_t, kFirstBlocks> first = most_promising({scratch_.bounds.data(), layout_.blocks.size()});
    look_at_filter(layout_.blocks[first[0]]);
    noting_ = untried_;
    scratch_.recent.reset();
    // The nearest in any case: fresh rows that hold a part of a topic would rule out the block with the others, as the
    // calibration did not know of them.
    for (const uint32_t b : first) {
      if (read_ > 0 && scratch_.bounds[b] < scratch_.near.kth()) break;
      read(b);
      scratch_.near.settle();
    }
    if (read_ < kFirstBlocks) return true;
    noting_ |= is_odd();

    const bool sifts = layout_.short_rows && !scratch_.near.empty();
    size_t left = select_left(sifts);
    // What few blocks hold of a narrow filter says little of the best yet.
    while (gives_up(left) && !gives_up(kPartsOfGathering * read_)) {
      read_next(read_);
      scratch_.near.settle();
      left = select_left(sifts);
    }
    if (gives_up(left)) return false;
    if (sifts && sift(left)) return true;
    if (!sifts && rest_is_quicker(left)) {
      read_rest();
      return true;
    }
    read_promising(left);
    return !(untried_ || stays_odd()) || read_on();
  }

 private:
  void bound_blocks(float reach) {
    const size_t count = layout_.blocks.size();
    scratch_.bounds.resize(count);
    scratch_.order.resize(count);
    float* const bounds = scratch_.bounds.data();
    scratch_.query.score(layout_.centroids, 0, count, bounds);
    stats_.rows_read += static_cast<uint32_t>(count);
    const float scale = scratch_.query.scale();
    const float to_raw = 1.0f / scale;
    for (size_t b = 0; b < count; ++b) {
      const float cosine = std::clamp(bounds[b] * scale, -1.0f, 1.0f);
      bounds[b] = (cosine * layout_.means[b] + reach * layout_.spread(b, cosine)) * to_raw;
    }
  }

  // Where the filter, or a removal, hides what is nearest to the query, or more is wanted than the calibration tried, the
  // best may lie high in many blocks. Then the search goes by what the blocks bring; and where the query is odd.
  void look_at_filter(const Block& nearest) {
    const bool whole = filter_.admitted == nullptr && filter_.intervals.empty() && !filter_.also && layout_.dead == 0;
    const float share = whole ? 1.0f : admitted_share(nearest);
    untried_ = static_cast<float>(k_) > 2.0f * kTriedDepth * share;
    least_ = least_tried(k_, share);
  }

  // As a score by codes. So many as are wanted are as good as more of all rows, if only a share of them may come back.
  float least_tried(size_t wanted, float share) const {
    const auto count = static_cast<float>(wanted);
    const float depth = count < kTriedDepth * share ? count / share : kTriedDepth;
    return layout_.tried.at(static_cast<size_t>(depth)) / scratch_.query.scale();
  }

  // Of the rows of a block, by a sample.
  float admitted_share(const Block& block) const {
    constexpr uint32_t kSampled = 32;
    const CodeRows& rows = layout_.rows;
    const uint32_t step = (block.end - block.start - 1) / kSampled + 1;
    uint32_t asked = 0;
    uint32_t admitted = 0;
    for (uint32_t p = block.start; p < block.end; p += step) {
      ++asked;
      const Slot slot = rows.slot(p);
      const bool in_time = filter_.intervals.empty() || find_interval(filter_.intervals, rows.ats()[p]) != nullptr;
      if (slot != kNoSlot && in_time && filter_.admits(slot)) ++admitted;
    }
    return static_cast<float>(admitted) / static_cast<float>(asked);
  }

  // So far it has found less than any query that the calibration tried, as one does that is about nothing, or wants more than
  // its topic holds.
  bool is_odd() const { return scratch_.near.kth() < least_; }
  bool stays_odd() {
    if (!is_odd()) return false;
    scratch_.near.settle();
    return is_odd();
  }

  void read(uint32_t b) {
    table_.scan_block(layout_, layout_.blocks[b], filter_, scratch_, stats_);
    scratch_.bounds[b] = -std::numeric_limits<float>::infinity();
    ++read_;
    if (noting_) scratch_.recent.note(read_, scratch_.near);
  }

  // An odd query may have its best anywhere; short rows of everything cost little.
  size_t select_left(bool sifts) { return select(sifts && is_odd() ? kUnread : std::max(scratch_.near.kth(), kUnread)); }

  // The blocks whose bounds reach that, into scratch.order.
  size_t select(float least) {
    return kernels().select_above(scratch_.bounds.data(), layout_.blocks.size(), least, scratch_.order.data());
  }

  auto more_promising() const {
    const float* const bounds = scratch_.bounds.data();
    return [bounds](uint32_t a, uint32_t b) { return bounds[a] > bounds[b] || (bounds[a] == bounds[b] && a < b); };
  }

  // Will it cost less to read the admitted rows one by one?
  bool gives_up(size_t blocks) const {
    if (filter_.count == 0) return false;
    const bool in_spans = !filter_.intervals.empty();
    const double rows = (in_spans ? share_.admitted : static_cast<double>(layout_.size)) / static_cast<double>(layout_.blocks.size());
    const double cost = (in_spans ? kProbedSpan : kProbedBlock) + rows * (layout_.short_rows ? kSiftedRow : kScannedRow);
    return static_cast<double>(blocks) * cost > static_cast<double>(filter_.count) * kGatheredRow;
  }

  // Reading on from one block to the next spares what it takes to skip some.
  bool rest_is_quicker(size_t blocks) const {
    if (filter_.admitted != nullptr || !filter_.intervals.empty() || filter_.also) return false;
    const auto rows = static_cast<double>(layout_.size);
    const double rows_of_one = rows / static_cast<double>(layout_.blocks.size());
    return static_cast<double>(blocks) * (kProbedBlock + rows_of_one * kScannedRow) > rows * kScannedRow;
  }

  // All blocks that were not, in the order of the layout.
  void read_rest() {
    const auto unread = [&](size_t b) { return b < layout_.blocks.size() && scratch_.bounds[b] >= kUnread; };
    for (size_t b = 0; b < layout_.blocks.size(); ++b) {
      if (!unread(b)) continue;
      RowSpan span{layout_.blocks[b].start, 0};
      for (; unread(b); ++b) {
        span.end = layout_.blocks[b].end;
        ++stats_.blocks_probed;
      }
      table_.scan_span(layout_, span, k_, scratch_, stats_);
    }
  }

  // Of those selected, what short rows do not rule out. False: they say too little of the query.
  bool sift(size_t left) {
    collect_spans(layout_, std::span(scratch_.order).first(left), filter_, scratch_);
    const float reach = share_.reach(layout_.short_rows->reach, k_, recall_);
    if (!scratch_.spans.empty() && !table_.sift(layout_, query_, k_, reach, filter_, scratch_, stats_)) return false;
    stats_.blocks_probed += static_cast<uint32_t>(left);
    return true;
  }

  // Of those selected, as long as they promise something.
  void read_promising(size_t left) {
    std::sort(scratch_.order.begin(), scratch_.order.begin() + static_cast<std::ptrdiff_t>(left), more_promising());
    size_t settled = scratch_.near.size();
    for (const uint32_t b : std::span(scratch_.order).first(left)) {
      if (scratch_.bounds[b] < scratch_.near.kth()) break;
      read(b);
      if (scratch_.near.size() < settled + std::max<size_t>(k_ / 4, 4)) continue;
      scratch_.near.settle();
      settled = scratch_.near.size();
    }
  }

  // Twice as many blocks each time, until the last half has brought no more of the best than may be missed. False: it gave up.
  bool read_on() {
    const auto allowed = static_cast<size_t>((1.0f - recall_) * static_cast<float>(k_));
    while (read_ < layout_.blocks.size() && scratch_.recent.count(scratch_.near) > allowed) {
      if (gives_up(std::min(read_, layout_.blocks.size() - read_))) return false;
      read_next(read_);
    }
    return true;
  }

  // So many more, or all that are left.
  void read_next(size_t blocks) {
    const size_t unread = select(kUnread);
    const size_t next = std::min(blocks, unread);
    std::partial_sort(scratch_.order.begin(), scratch_.order.begin() + static_cast<std::ptrdiff_t>(next),
                      scratch_.order.begin() + static_cast<std::ptrdiff_t>(unread), more_promising());
    for (const uint32_t b : std::span(scratch_.order).first(next)) read(b);
  }

  const VectorTable& table_;
  const Share& share_;
  const ClusterLayout& layout_;
  const float* query_;
  size_t k_;
  float recall_;
  const VectorFilter& filter_;
  VectorScratch& scratch_;
  VectorSearchStats& stats_;
  size_t read_ = 0;       // blocks
  bool untried_ = false;  // what is wanted
  bool noting_ = false;   // what blocks bring
  float least_ = 0.0f;    // of any query that was tried, the k-th best score
};

// The densest first: what is found there for little rules out more of the other; of equal ones the larger.
std::array<VectorTable::Share, 2> VectorTable::shares(size_t admitted, std::span<const Interval> intervals) const {
  std::array<Share, 2> shares;
  size_t count = 0;
  double total = 0.0;
  for_each_layout([&](const ClusterLayout& layout) {
    const double rows = intervals.empty() ? static_cast<double>(layout.size) : layout.rows_in(intervals);
    if (rows <= 0.0) return;
    shares[count++] = {&layout, rows};
    total += rows;
  });
  const auto density = [](const Share& share) { return share.admitted / static_cast<double>(share.layout->size); };
  if (count == 2 && density(shares[0]) < density(shares[1])) std::swap(shares[0], shares[1]);
  if (count == 2) shares[1].of_best = shares[1].admitted / total;
  for (Share& share : shares) share.admitted *= static_cast<double>(admitted) / std::max(1.0, total);
  return shares;
}

bool VectorTable::probe(const Share& share, const float* query, size_t k, float recall, const VectorFilter& filter,
                        VectorScratch& scratch, VectorSearchStats& stats) const {
  const ClusterLayout& layout = *share.layout;
  stats.blocks += static_cast<uint32_t>(layout.blocks.size());
  const float reach = share.reach(layout.reach, k, recall);
  if (std::isinf(reach) || layout.blocks.size() <= kFirstBlocks) {
    for (const Block& block : layout.blocks) scan_block(layout, block, filter, scratch, stats);
    return true;
  }
  return Probe(*this, share, query, k, recall, filter, scratch, stats).run(reach);
}

// Whether choosing among blocks takes longer, however much of them it turns out to need. A search reads the rest in one go
// where that is quicker. What it reads is known of all queries together: between all that read as much, and some that read
// everything and others that read nothing. Where it is most of all rows, searches of several queries together gain more by
// reading them all (query/joint_scans.hpp) than one alone by choosing.
bool VectorTable::reads_all(float recall) const { return !layout_ || reads_all(*layout_, recall); }

bool VectorTable::reads_all(const ClusterLayout& layout, float recall) {
  if (layout.blocks.size() <= kFirstBlocks) return true;
  if (layout.short_rows || recall < kHighRecall) return false;
  if (layout.probed_share >= kMostRows) return true;
  const auto blocks = static_cast<double>(layout.blocks.size());
  const double rows = kScannedRow * static_cast<double>(layout.size);
  const auto share = static_cast<double>(layout.probed_share);
  const double alike = std::min(rows, share * (kProbedBlock * blocks + rows));
  const double choosing = kCentroid * blocks + kProbedBlock * static_cast<double>(kFirstBlocks);
  return rows < choosing + (alike + share * rows) / 2.0;
}

size_t VectorTable::probing_cost(size_t admitted, size_t k, std::span<const Interval> intervals) const {
  const size_t fresh = fresh_rows();
  double cost = kScannedRow * static_cast<double>(fresh);
  for (const Share& own : shares(admitted, intervals)) {
    if (own.layout == nullptr || admitted == 0) continue;
    const ClusterLayout& layout = *own.layout;
    const auto rows = static_cast<double>(layout.size);
    const auto blocks = static_cast<double>(layout.blocks.size());
    const double share = std::clamp(own.admitted / rows, 1.0 / rows, 1.0);
    // The fewer rows are admitted, or the more of them are wanted, the worse the k-th best of them, and the more blocks
    // may hold a better one: about as many more as 1 / sqrt(share), for ten.
    const double wanted = std::max(1.0, static_cast<double>(k) / 10.0);
    const double probed = std::min(1.0, static_cast<double>(layout.probed_share) / std::sqrt(share / wanted));
    cost += blocks * kCentroid + probed * (intervals.empty() ? blocks * kProbedBlock + rows * kScannedRow
                                                             : blocks * kProbedSpan + rows * share * kScannedRow);
  }
  return static_cast<size_t>(cost / kGatheredRow);
}

}  // namespace memspan
