#include "vectors/probe_calibration.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/in_parallel.hpp"
#include "vectors/interruption.hpp"
#include "vectors/probe_trial.hpp"
#include "vectors/short_rows_builder.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

constexpr size_t kKinds = 4;       // of queries
constexpr size_t kUsualKinds = 3;  // the first; about many topics at once, few are asked
constexpr size_t kQueries = 72 * kKinds;
constexpr size_t kFewQueries = 24 * kKinds;  // enough to see whether rows that joined need more of them
constexpr size_t kFewSummed = 2;  // rows
constexpr size_t kManySummed = 8;
constexpr size_t kScannedWorthAThread = 65536;  // rows scanned
// Of the misses that a recall allows, so many are planned: the queries to come are not those that were tried.
constexpr double kCaution = 0.5;
// Queries for rows that joined miss too much when that is more than a recall allows by so many standard deviations of a count;
// of few queries, when it is more at all: then more are tried.
constexpr double kByChance = 2.0;

// Short rows are tried where searches for ten and for a hundred read so much in the mean, and kept where those then cost
// less than so much of that.
constexpr size_t kFewestShortened = 4096;
constexpr size_t kLeastShortenedDim = 3 * ShortRows::kNumbers;
constexpr double kMuchRead = 0.25;
constexpr double kWorthShortening = 0.8;
// Costs, as rows that are scanned: reading a short row, and reading a row that was not ruled out.
constexpr double kShortRow = 0.15;
constexpr double kPreparation = 2000.0;  // of a query
constexpr double kRowLeft = 2.5;

constexpr float kLeastOpen = 1e-6f;
constexpr float kDefaultRecall = 0.995f;

constexpr size_t kDepths = ProbeReach::kDepths.size();
constexpr size_t kDepthOfTen = 2;
constexpr size_t kDeepest = kDepths - 1;
static_assert(ProbeReach::kDepths[kDepthOfTen] == 10);

class Calibration {
  template <typename T>
  using PassingVector = huge_pages::PassingVector<T>;

 public:
  // `among`: the positions of the rows that queries are made of; of all, if there are none.
  Calibration(ClusterLayout& layout, const RowView& rows, std::mt19937& random, std::span<const uint32_t> among = {},
              size_t queries = kQueries)
      : layout_(layout), dim_(rows.dim()), rows_(rows), random_(random), among_(among), count_(queries) {
    const size_t blocks = layout.blocks.size();
    for (size_t i = 0; i < count_; ++i) tried_[i].cosines = std::span(cosines_).subspan(i * blocks, blocks);
  }

  void run() {
    try_queries();
    set_overlap();
    for (TriedQuery& tried : tried_) tried.note_needed(layout_);
    set_reach(layout_.reach, kCaution);
    layout_.probed_share = probed_share(nullptr);
    try_short_rows();
    note_scores();
  }

  // Is more missed than may be? Otherwise the scores are noted.
  bool misses_too_much() {
    try_queries();
    for (TriedQuery& tried : tried_) tried.note_needed(layout_);
    if (missed_too_much().any()) return true;
    note_scores();
    return false;
  }

  void raise_where_it_misses() {
    try_queries();
    for (TriedQuery& tried : tried_) tried.note_needed(layout_);
    const Recalls missed = missed_too_much();
    if (missed.any()) raise_reach(missed);
    note_scores();
  }

 private:
  // Of the best, how many lie in blocks that would not be read.
  static size_t misses(const TriedQuery& tried, size_t depth, float reach) {
    const auto first = tried.needed[depth].begin();
    return static_cast<size_t>(std::count_if(first, first + static_cast<std::ptrdiff_t>(tried.hits(depth)),
                                             [reach](float needed) { return needed > reach; }));
  }

  static constexpr size_t kRecalls = ProbeReach::kRecalls.size();
  using Recalls = std::bitset<kRecalls>;

  // At which more is missed than they allow, at some depth.
  Recalls missed_too_much() const {
    Recalls recalls;
    for (size_t depth = 0; depth < kDepths; ++depth) {
      for (size_t r = 0; r < kRecalls; ++r) recalls[r] = recalls[r] || missed_too_much(depth, r);
    }
    return recalls;
  }

  bool missed_too_much(size_t depth, size_t recall) const {
    const float reach = layout_.reach.table()[depth][recall];
    size_t hits = 0;
    size_t missed = 0;
    for (const TriedQuery& tried : tried_) {
      hits += tried.hits(depth);
      missed += misses(tried, depth, reach);
    }
    const double allowed = (1.0 - static_cast<double>(ProbeReach::kRecalls[recall])) * static_cast<double>(hits);
    return static_cast<double>(missed) > allowed + (count_ == kQueries ? kByChance : 0.0) * std::sqrt(allowed);
  }

  // As far as these queries need it, at every depth, and at no higher recall less far. Short rows keep their reach: it rules
  // out by what a row itself is like, wherever it lies.
  void raise_reach(const Recalls& recalls) {
    ProbeReach needed;
    const ShortRows* const shorts = layout_.short_rows.get();
    set_reach(needed, shorts != nullptr ? kCaution / 2 : kCaution);
    const float before = layout_.reach.at(ProbeReach::kDepths[kDepthOfTen], kDefaultRecall);
    for (size_t depth = 0; depth < kDepths; ++depth) {
      float least = std::numeric_limits<float>::lowest();
      for (size_t r = 0; r < kRecalls; ++r) {
        if (recalls[r]) least = std::max(least, needed.table()[depth][r]);
        layout_.reach.raise_to(depth, r, least);
      }
    }
    if (layout_.reach.at(ProbeReach::kDepths[kDepthOfTen], kDefaultRecall) == before) return;
    layout_.probed_share = std::max(layout_.probed_share, probed_share(shorts));
  }

  // Of the queries whose best are all found.
  void note_scores() {
    for (const TriedQuery& tried : tried_) {
      for (size_t depth = 0; depth < kDepths; ++depth) {
        const size_t k = ProbeReach::kDepths[depth];
        if (tried.found < k || misses(tried, depth, layout_.reach.at(k, kDefaultRecall)) > 0) continue;
        layout_.tried.lower_to(depth, tried.kth[depth]);
      }
    }
  }

  void try_queries() {
    std::vector<uint32_t> selves(count_);
    for (size_t i = 0; i < count_; ++i) selves[i] = make_query(i, {query(i), dim_});
    for_each_query([&](size_t first, size_t last) {
      ProbeTrial trial(layout_, dim_);
      for (; first < last; first += ProbeTrial::kBatch) {
        check_interruption();
        const size_t batch = std::min(ProbeTrial::kBatch, last - first);
        trial.run(query(first), batch, &selves[first], &tried_[first]);
      }
    });
  }

  // From all usual queries together: that of a few would be the chance of their rows.
  void set_overlap() {
    ScoreScatter all;
    for (size_t i = 0; i < count_; ++i) {
      if (i % kKinds >= kUsualKinds) continue;
      const TriedQuery& tried = tried_[i];
      all.observed += tried.scatter.observed;
      all.along += tried.scatter.along;
      all.across += tried.scatter.across;
    }
    if (all.across <= 0.0) return;
    const double least = 1.0 / static_cast<double>(dim_);
    layout_.overlap = static_cast<float>(std::clamp((all.observed - all.along) / all.across, least, 1.0));
    for (float& orthogonal : layout_.orthogonals) orthogonal *= layout_.overlap;
  }

  template <typename Work>
  void for_each_query(Work work) {
    const Interruption interruption = interruption_of_thread();
    const size_t least = std::max<size_t>(1, kScannedWorthAThread / layout_.size);
    in_parallel(count_, least, [&](size_t first, size_t last) {
      share_interruption(interruption);
      work(first, last);
    });
  }

  // Both may miss something then: blocks get half of the misses that are planned, and short rows what is left of all.
  void try_short_rows() {
    if (layout_.size < kFewestShortened || dim_ < kLeastShortenedDim) return;
    const double without = mean_share_read(nullptr);
    if (without < kMuchRead) return;
    std::unique_ptr<ShortRows> shorts = shorten_rows(rows_, random_);
    for_each_query([&](size_t first, size_t last) {
      for (; first < last; ++first) {
        const ShortRows::Numbers numbers = shorts->numbers_of_query(query(first), 1.0f);
        TriedQuery& tried = tried_[first];
        tried.covered = ShortRows::covered(numbers);
        for (size_t d = 0; d < kDepths; ++d) {
          for (size_t i = 0; i < tried.hits(d); ++i) {
            const ShortRows::Product product = shorts->product(numbers, tried.best[i]);
            tried.needed_short[d][i] = (tried.kth[d] - product.coordinates) / std::max(product.open, kLeastOpen);
          }
        }
      }
    });
    const ProbeReach before = layout_.reach;
    set_reach(layout_.reach, kCaution / 2);
    set_reach_of(*shorts);
    shorts->least_covered = std::ranges::min(tried_, {}, &TriedQuery::covered).covered;
    if (mean_share_read(shorts.get()) > kWorthShortening * without) {
      layout_.reach = before;
      return;
    }
    layout_.probed_share = probed_share(shorts.get());
    layout_.short_rows = std::move(shorts);
  }

  float* query(size_t i) { return queries_.data() + i * dim_; }
  size_t random_row() { return among_.empty() ? random_() % rows_.size() : among_[random_() % among_.size()]; }

  // Returns the position of the row that the query equals, if it does.
  uint32_t make_query(size_t i, std::span<float> query) {
    const size_t position = random_row();
    const float* const row = rows_.floats(position, buffers_[0].data());
    switch (i % kKinds) {
      case 0:
        std::copy_n(row, dim_, query.begin());
        return static_cast<uint32_t>(position);
      case 1: {
        const float deviation = 1.0f / std::sqrt(static_cast<float>(dim_));
        std::normal_distribution<float> noise(0.0f, deviation);
        for (size_t d = 0; d < dim_; ++d) query[d] = row[d] + noise(random_);
        break;
      }
      default:
        std::copy_n(row, dim_, query.begin());
        for (size_t added = 1; added < (i % kKinds == 2 ? kFewSummed : kManySummed); ++added) {
          const float* const other = rows_.floats(random_row(), buffers_[1].data());
          for (size_t d = 0; d < dim_; ++d) query[d] += other[d];
        }
        break;
    }
    float length = 0.0f;
    for (float value : query) length += value * value;
    if (length < 1e-6f) std::copy_n(row, dim_, query.begin());
    normalize(query, query.data());
    return kNoSlot;
  }

  // The reach that finds the wanted share of the hits of each kind of query: the largest quantile of what they needed. Of
  // all kinds together, those that are found easily would make up for those that are not. collect(tried, depth, recall,
  // needed) adds what the hits of one query needed.
  template <typename Collect>
  void set_reach(ProbeReach& out, double caution, Collect collect) const {
    PassingVector<float> needed;
    for (size_t depth = 0; depth < kDepths; ++depth) {
      for (size_t r = 0; r < ProbeReach::kRecalls.size(); ++r) {
        float reach = std::numeric_limits<float>::lowest();
        for (size_t kind = 0; kind < kKinds; ++kind) {
          needed.clear();
          for (size_t i = kind; i < tried_.size(); i += kKinds) collect(tried_[i], depth, r, needed);
          const auto missed = static_cast<size_t>((1.0 - static_cast<double>(ProbeReach::kRecalls[r])) * caution * static_cast<double>(needed.size()));
          const auto last = needed.begin() + static_cast<std::ptrdiff_t>(std::min(needed.size() - 1, missed));
          std::nth_element(needed.begin(), last, needed.end(), std::greater<>());
          reach = std::max(reach, *last);
        }
        out.set(depth, r, reach);
      }
    }
  }
  void set_reach(ProbeReach& out, double caution) const {
    set_reach(out, caution, [](const TriedQuery& tried, size_t depth, size_t, PassingVector<float>& needed) {
      needed.insert(needed.end(), tried.needed[depth].begin(), tried.needed[depth].begin() + static_cast<std::ptrdiff_t>(tried.hits(depth)));
    });
  }
  void set_reach_of(ShortRows& shorts) const {
    set_reach(shorts.reach, kCaution, [&](const TriedQuery& tried, size_t depth, size_t recall, PassingVector<float>& needed) {
      const float of_blocks = layout_.reach.table()[depth][recall];
      for (size_t i = 0; i < tried.hits(depth); ++i) {
        const bool missed = tried.needed[depth][i] > of_blocks;
        needed.push_back(missed ? std::numeric_limits<float>::max() : tried.needed_short[depth][i]);
      }
    });
  }

  // Of the rows of the layout, what a usual search reads at the default recall, or as much of short rows as costs the same.
  double share_read(size_t depth, const ShortRows* shorts) {
    const size_t k = ProbeReach::kDepths[depth];
    const float reach = layout_.reach.at(k, kDefaultRecall);
    std::vector<double> read(count_, 0.0);
    for_each_query([&](size_t first, size_t last) {
      PassingVector<float> scores(shorts ? ShortRows::groups(layout_.size) * ShortRows::kSideBySide : 0);
      PassingVector<uint32_t> selected(shorts ? layout_.size : 0);
      for (; first < last; ++first) {
        check_interruption();
        if (first % kKinds >= kUsualKinds) continue;
        const TriedQuery& tried = tried_[first];
        const float kth = tried.kth[depth];
        ShortRows::Query short_query;
        if (shorts != nullptr) {
          short_query = shorts->query(query(first), shorts->reach.at(k, kDefaultRecall));
          read[first] = kPreparation;
        }
        for (size_t b = 0; b < layout_.blocks.size(); ++b) {
          const float cosine = tried.cosines[b];
          if (cosine * layout_.means[b] + reach * layout_.spread(b, cosine) < kth) continue;
          const Block& block = layout_.blocks[b];
          const size_t rows = block.end - block.start;
          if (shorts == nullptr) {
            read[first] += static_cast<double>(rows);
            continue;
          }
          shorts->score(short_query, block.start, block.end, scores.data());
          const size_t found = kernels().select_above(scores.data() + block.start, rows, ShortRows::least_score(short_query, kth), selected.data());
          read[first] += kShortRow * static_cast<double>(rows) +
                         std::min(static_cast<double>(rows), kRowLeft * static_cast<double>(found));
        }
      }
    });
    const size_t usual = count_ / kKinds * kUsualKinds;
    return std::accumulate(read.begin(), read.end(), 0.0) / static_cast<double>(usual * layout_.size);
  }

  // A share at most: where searches for a hundred gain much, those for ten may cost more than to read all codes.
  float probed_share(const ShortRows* shorts) { return static_cast<float>(std::min(1.0, share_read(kDepthOfTen, shorts))); }

  double mean_share_read(const ShortRows* shorts) {
    return (share_read(kDepthOfTen, shorts) + share_read(kDeepest, shorts)) / 2.0;
  }

  ClusterLayout& layout_;
  size_t dim_;
  RowView rows_;
  std::mt19937& random_;
  std::span<const uint32_t> among_;
  size_t count_;  // of queries
  PassingVector<float> queries_ = PassingVector<float>(count_ * dim_);
  std::array<std::vector<float>, 2> buffers_ = {std::vector<float>(dim_), std::vector<float>(dim_)};
  PassingVector<float> cosines_ = PassingVector<float>(count_ * layout_.blocks.size());  // which the tried queries write to
  PassingVector<TriedQuery> tried_ = PassingVector<TriedQuery>(count_);
};

}  // namespace

void calibrate_probing(ClusterLayout& layout, const RowView& rows, std::mt19937& random) {
  Calibration(layout, rows, random).run();
}

void calibrate_joined(ClusterLayout& layout, const RowView& rows, std::span<const uint32_t> joined, std::mt19937& random) {
  if (joined.empty() || layout.blocks.size() <= 1) return;
  if (!Calibration(layout, rows, random, joined, kFewQueries).misses_too_much()) return;
  Calibration(layout, rows, random, joined).raise_where_it_misses();
}

}  // namespace memspan
