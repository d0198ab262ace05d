#include "vectors/probe_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/in_parallel.hpp"
#include "vectors/code_query.hpp"
#include "vectors/interruption.hpp"
#include "vectors/near_best.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

constexpr size_t kKinds = 3;  // of queries
constexpr size_t kQueries = 96 * kKinds;
constexpr size_t kTile = 512;
constexpr size_t kScannedWorthAThread = 65536;  // rows scanned
// Of the misses that a recall allows, so many are planned: the queries to come are not those that were tried.
constexpr double kCaution = 0.5;

// What was found out with one query.
struct Tried {
  std::vector<float> means;    // by block: expected score
  std::vector<float> spreads;  // by block
  float tenth = 0.0f;
  std::array<std::vector<float>, ProbeReach::kDepths.size()> needed;  // reach, for each of the best
};

// Tries queries on a layout, one after the other.
class Trial {
 public:
  Trial(const ClusterLayout& layout, size_t dim)
      : layout_(layout), dim_(dim), scores_(kTile), cosines_(layout.blocks.size()) {}

  Tried run(const std::vector<float>& query, uint32_t self) {
    code_.set(query.data(), dim_);
    constexpr size_t kDeepest = ProbeReach::kDepths.back();
    near_.reset(kDeepest + 1, 0.0f);
    for (size_t first = 0; first < layout_.size; first += kTile) {
      const size_t count = std::min(kTile, layout_.size - first);
      code_.score(layout_.rows, first, count, scores_.data());
      for (size_t i = 0; i < count; ++i) near_.offer(scores_[i], static_cast<Slot>(first + i));
    }
    near_.prune();
    best_.assign(near_.items().begin(), near_.items().end());
    std::erase_if(best_, [self](const Candidate& hit) { return hit.slot == self; });
    std::sort(best_.begin(), best_.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });

    code_.score(layout_.centroids, 0, layout_.blocks.size(), cosines_.data());
    Tried tried;
    for (size_t b = 0; b < cosines_.size(); ++b) {
      const float cosine = std::clamp(cosines_[b] * code_.scale(), -1.0f, 1.0f);
      tried.means.push_back(cosine * layout_.means[b]);
      tried.spreads.push_back(layout_.spread(b, cosine));
    }
    for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
      const size_t k = std::min(ProbeReach::kDepths[d], best_.size());
      if (k == 0) continue;
      const float kth = best_[k - 1].score * code_.scale();
      if (ProbeReach::kDepths[d] == 10) tried.tenth = kth;
      for (size_t i = 0; i < k; ++i) {
        const size_t block = layout_.block_of(best_[i].slot);
        tried.needed[d].push_back((kth - tried.means[block]) / tried.spreads[block]);
      }
    }
    return tried;
  }

 private:
  const ClusterLayout& layout_;
  size_t dim_;
  CodeQuery code_;
  NearBest near_;
  huge_pages::PassingVector<float> scores_;
  huge_pages::PassingVector<float> cosines_;
  std::vector<Candidate> best_;
};

class Calibration {
 public:
  Calibration(ClusterLayout& layout, size_t dim, std::span<const float* const> rows, std::mt19937& random)
      : layout_(layout), dim_(dim), rows_(rows), random_(random) {}

  void run() {
    std::vector<std::vector<float>> queries(kQueries, std::vector<float>(dim_));
    std::vector<uint32_t> selves(kQueries);
    for (size_t i = 0; i < kQueries; ++i) selves[i] = make_query(i, queries[i]);
    tried_.resize(kQueries);
    const Interruption interruption = interruption_of_thread();
    const size_t least = std::max<size_t>(1, kScannedWorthAThread / layout_.size);
    in_parallel(kQueries, least, [&](size_t first, size_t last) {
      share_interruption(interruption);
      Trial trial(layout_, dim_);
      for (; first < last; ++first) {
        check_interruption();
        tried_[first] = trial.run(queries[first], selves[first]);
      }
    });
    for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) set_reach(d);
    layout_.probed_share = probed_share();
  }

 private:
  size_t random_row() { return random_() % rows_.size(); }

  // Returns the position of the row that the query equals, if it does.
  uint32_t make_query(size_t i, std::vector<float>& query) {
    const size_t position = random_row();
    const float* const row = rows_[position];
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
      default: {
        const float* const other = rows_[random_row()];
        for (size_t d = 0; d < dim_; ++d) query[d] = row[d] + other[d];
        break;
      }
    }
    float length = 0.0f;
    for (float value : query) length += value * value;
    if (length < 1e-6f) std::copy_n(row, dim_, query.begin());
    normalize(query, query.data());
    return kNoSlot;
  }

  // The reach that finds the wanted share of the hits of each kind of query: the largest quantile of what they needed. Of
  // all kinds together, those that are found easily would make up for those that are not.
  void set_reach(size_t depth) {
    std::array<float, ProbeReach::kRecalls.size()> reach;
    reach.fill(std::numeric_limits<float>::lowest());
    for (size_t kind = 0; kind < kKinds; ++kind) {
      std::vector<float> needed;
      for (size_t i = kind; i < tried_.size(); i += kKinds) {
        needed.insert(needed.end(), tried_[i].needed[depth].begin(), tried_[i].needed[depth].end());
      }
      std::sort(needed.begin(), needed.end(), std::greater<>());
      for (size_t r = 0; r < reach.size(); ++r) {
        const double missed = (1.0 - static_cast<double>(ProbeReach::kRecalls[r])) * kCaution * static_cast<double>(needed.size());
        reach[r] = std::max(reach[r], needed[std::min(needed.size() - 1, static_cast<size_t>(missed))]);
      }
    }
    for (size_t r = 0; r < reach.size(); ++r) layout_.reach.set(depth, r, reach[r]);
  }

  float probed_share() const {
    const float reach = layout_.reach.at(10, 0.995f);
    double read = 0.0;
    for (const Tried& tried : tried_) {
      for (size_t b = 0; b < layout_.blocks.size(); ++b) {
        if (tried.means[b] + reach * tried.spreads[b] < tried.tenth) continue;
        read += layout_.blocks[b].end - layout_.blocks[b].start;
      }
    }
    return static_cast<float>(read / static_cast<double>(tried_.size() * layout_.size));
  }

  ClusterLayout& layout_;
  size_t dim_;
  std::span<const float* const> rows_;
  std::mt19937& random_;
  std::vector<Tried> tried_;
};

}  // namespace

void calibrate_probing(ClusterLayout& layout, size_t dim, std::span<const float* const> rows, std::mt19937& random) {
  Calibration(layout, dim, rows, random).run();
}

}  // namespace memspan
