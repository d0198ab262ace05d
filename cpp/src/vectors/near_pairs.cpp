#include "vectors/near_pairs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "base/share_out.hpp"
#include "vectors/interruption.hpp"

namespace memspan {

namespace {

constexpr size_t kQueries = 64;   // whose scores with a tile stay in the second-level cache
constexpr size_t kRows = 1024;    // of a tile
constexpr size_t kFlush = 4096;   // rows that one query hands on at a time

}  // namespace

// What one thread needs.
class NearPairs::Search {
 public:
  Search(const NearPairs& all, float threshold, const std::function<bool(std::span<const Pair>)>& found)
      : all_(all), threshold_(threshold), found_(found), queries_(kQueries * kShort), whole_query_(all.whole_.stride()),
        scores_(kQueries * kRows), passed_(kRows) {}

  // The vectors [first, last), each with all after it. False: `found` has had enough.
  bool run(size_t first, size_t last) {
    const Kernels& simd = kernels();
    const size_t count = last - first;
    for (size_t q = 0; q < count; ++q) {
      all_.short_.query(first + q, queries_.data() + q * kShort);
      offsets_[q] = all_.short_.offset(first + q);
      least_[q] = all_.short_.least_score(first + q, threshold_, all_.short_error_);
      near_[q].clear();
    }
    for (size_t row = first; row < all_.size_; row += kRows) {
      const size_t rows = std::min(kRows, all_.size_ - row);
      simd.code_rows_batch(queries_.data(), offsets_.data(), count, all_.short_.codes(row), kShort,
                           all_.short_.scales() + row, rows, kShort, scores_.data());
      for (size_t q = 0; q < count; ++q) {
        const size_t passed = simd.select_above(scores_.data() + q * rows, rows, least_[q], passed_.data());
        for (size_t i = 0; i < passed; ++i) {
          const auto other = static_cast<uint32_t>(row + passed_[i]);
          if (other > first + q) near_[q].push_back(other);
        }
        if (near_[q].size() >= kFlush && !narrow(first + q, near_[q])) return false;
      }
    }
    for (size_t q = 0; q < count; ++q) {
      if (!near_[q].empty() && !narrow(first + q, near_[q])) return false;
    }
    return pairs_.empty() || hand_out();
  }

 private:
  // The second bound, of one vector and others; empties `others`.
  bool narrow(size_t query, std::vector<uint32_t>& others) {
    const BoundedCodes& whole = all_.whole_;
    whole.query(query, whole_query_.data());
    if (near_scores_.size() < others.size()) near_scores_.resize(others.size());
    if (passed_.size() < others.size()) passed_.resize(others.size());
    kernels().code_gather(whole_query_.data(), whole.offset(query), whole.codes(0), whole.stride(), whole.scales(),
                          others.data(), others.size(), whole.stride(), near_scores_.data());
    const float least = whole.least_score(query, threshold_, all_.whole_error_);
    const size_t passed = kernels().select_above(near_scores_.data(), others.size(), least, passed_.data());
    for (size_t i = 0; i < passed; ++i) pairs_.emplace_back(static_cast<uint32_t>(query), others[passed_[i]]);
    others.clear();
    return pairs_.size() < kFlush || hand_out();
  }

  bool hand_out() {
    const bool more = found_(pairs_);
    pairs_.clear();
    return more;
  }

  const NearPairs& all_;
  const float threshold_;
  const std::function<bool(std::span<const Pair>)>& found_;
  AlignedBuffer<int8_t> queries_;
  AlignedBuffer<int8_t> whole_query_;
  std::array<int32_t, kQueries> offsets_;
  std::array<float, kQueries> least_;
  std::array<std::vector<uint32_t>, kQueries> near_;
  std::vector<float> scores_;
  std::vector<float> near_scores_;
  std::vector<uint32_t> passed_;
  std::vector<Pair> pairs_;
};

NearPairs::NearPairs(size_t dim, size_t capacity, std::span<const float> sample)
    : directions_(find_leading_directions(sample, dim, kShort - kRest)), short_(kShort, capacity), whole_(dim, capacity) {}

void NearPairs::add(const float* unit_vector) {
  // The square of the rest may come out too small by rounding, and its root by much more.
  constexpr double kRounding = 4e-6;
  std::array<float, kShort> values = {};
  directions_.project(unit_vector, values.data());
  double square = 0.0;
  for (size_t i = 0; i < directions_.count; ++i) square += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  const double rest = std::sqrt(std::max(0.0, 1.0 - square) + kRounding);
  std::fill_n(values.end() - kRest, kRest, static_cast<float>(rest / std::sqrt(double{kRest})));
  short_.put(size_, values.data());
  whole_.put(size_, unit_vector);
  short_error_ = std::max(short_error_, short_.error(size_));
  whole_error_ = std::max(whole_error_, whole_.error(size_));
  ++size_;
}

void NearPairs::find(size_t fresh, float threshold, size_t workers,
                     const std::function<bool(std::span<const Pair>)>& found) const {
  std::atomic<bool> enough = false;
  const Interruption interruption = interruption_of_thread();
  share_out(workers, fresh, kQueries, [&](size_t first, size_t last) {
    share_interruption(interruption);
    check_interruption();
    if (enough) return;
    Search search(*this, threshold, found);
    if (!search.run(first, last)) enough = true;
  });
}

}  // namespace memspan
