#include "vectors/centroid_groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "vectors/interruption.hpp"
#include "vectors/k_means.hpp"

namespace memspan {
using huge_pages::PassingVector;
namespace {

constexpr uint32_t kGroupingSeed = 7;  // fixed: the same centroids give the same groups
constexpr size_t kGroupingRounds = 4;
// Groups that a row looks at. With 12, searches read as many rows as with all of them, with 6 up to twice as many.
constexpr size_t kLooked = 12;
constexpr size_t kFewestCentroids = 256;
constexpr size_t kRowsForEach = 2;      // for each centroid, so that they make up for finding the groups
constexpr size_t kRowsTogether = 16;           // rows that are compared at a time
constexpr size_t kChunk = 64 * kRowsTogether;  // rows whose groups are found before any is compared with members

// Comparing a row with g heads and the members of kLooked of g groups costs least where both are as many.
size_t group_count(size_t centroids) {
  return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(kLooked * centroids))));
}

void decode(const uint8_t* codes, float scale, size_t dim, float* out) {
  for (size_t d = 0; d < dim; ++d) out[d] = scale * (static_cast<float>(codes[d]) - static_cast<float>(kZeroCode));
}

void copy_row(const CodeRows& from, uint32_t i, CodeRows& to, uint32_t place) {
  std::memcpy(to.writable_codes(place), from.codes(i), from.stride());
  to.describe(place, i, 0, from.scales()[i]);
}

// Groups take a multiple of so many rows, dead ones behind the others: the kernel is slow with what is left of four.
constexpr uint32_t padded(uint32_t size) { return (size + 3) / 4 * 4; }

// Orders scores, and of equal ones the lower number first, without a branch.
uint64_t claim(float score, uint32_t number) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // no -0
  const uint32_t ordered = bits ^ (bits >> 31 != 0 ? ~uint32_t{0} : uint32_t{1} << 31);
  return uint64_t{ordered} << 32 | ~number;
}

}  // namespace

bool CentroidGroups::pay(size_t rows, size_t centroids) {
  return centroids >= kFewestCentroids && rows >= kRowsForEach * centroids;
}

CentroidGroups::CentroidGroups(const CodeRows& centroids, size_t count, size_t dim) : dim_(dim) {
  PassingVector<float> decoded(count * dim);
  RowList rows{RowShape(dim)};
  for (size_t i = 0; i < count; ++i) {
    decode(centroids.codes(i), centroids.scales()[i], dim, decoded.data() + i * dim);
    rows.push_back(decoded.data() + i * dim);
  }
  std::mt19937 random(kGroupingSeed);
  const Centroids heads = find_centroids(rows, group_count(count), kGroupingRounds, random);
  const PassingVector<uint32_t> group = memspan::assign(rows, heads.codes, heads.size());

  std::vector<uint32_t> size(heads.size(), 0);
  for (const uint32_t g : group) ++size[g];
  heads_ = CodeRows(dim, heads.size(), huge_pages::Stay::passing);
  std::vector<uint32_t> next(heads.size());  // free place
  uint32_t places = 0;
  for (uint32_t g = 0; g < heads.size(); ++g) {
    if (size[g] == 0) continue;
    copy_row(heads.codes, g, heads_, static_cast<uint32_t>(groups_.size()));
    groups_.push_back({places, size[g]});
    next[g] = places;
    places += padded(size[g]);
  }
  members_ = CodeRows(dim, places, huge_pages::Stay::passing);
  numbers_.resize(places);
  for (const Group& g : groups_) {
    for (uint32_t place = g.start + g.size; place < g.start + padded(g.size); ++place) members_.erase(place);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t place = next[group[i]]++;
    copy_row(centroids, i, members_, place);
    numbers_[place] = i;
  }
}

// What a thread needs to assign rows, a chunk at a time.
class CentroidGroups::Assignment {
 public:
  explicit Assignment(const CentroidGroups& groups)
      : groups_(groups), stride_(groups.members_.stride()), count_(groups.groups_.size()), codes_(kChunk * stride_),
        gathered_(kRowsTogether * stride_), floats_(groups.dim_), first_pair_(count_ + 1) {
    size_t most = count_;
    for (const Group& group : groups.groups_) most = std::max<size_t>(most, padded(group.size));
    scores_.resize(kRowsTogether * most);
  }

  void run(const RowView& rows, uint32_t* nearest) {
    const size_t looked = std::min(kLooked, count_);
    find_groups(rows, looked);
    best_.fill(0);
    sort_pairs(rows.size() * looked, looked);
    for (size_t group = 0; group < count_; ++group) {
      for (size_t first = first_pair_[group]; first < first_pair_[group + 1]; first += kRowsTogether) {
        compare(groups_.groups_[group], std::span(sorted_).subspan(first, std::min(kRowsTogether, first_pair_[group + 1] - first)));
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) nearest[i] = ~static_cast<uint32_t>(best_[i]);
  }

 private:
  void find_groups(const RowView& rows, size_t looked) {
    const Kernels& simd = kernels();
    for (size_t first = 0; first < rows.size(); first += kRowsTogether) {
      const size_t batch = std::min(kRowsTogether, rows.size() - first);
      int8_t* const codes = codes_.data() + first * stride_;
      for (size_t i = 0; i < batch; ++i) {
        simd.quantize_query(rows.floats(first + i, floats_.data()), groups_.dim_, codes + i * stride_, &offsets_[first + i]);
      }
      simd.code_rows_batch(codes, offsets_.data() + first, batch, groups_.heads_.codes(), stride_, groups_.heads_.scales(),
                           count_, stride_, scores_.data());
      for (size_t i = 0; i < batch; ++i) nearest_groups(scores_.data() + i * count_, looked, &looked_[(first + i) * looked]);
    }
  }

  void nearest_groups(const float* scores, size_t looked, uint32_t* out) const {
    std::array<float, kLooked> best;
    best.fill(-std::numeric_limits<float>::infinity());
    for (uint32_t group = 0; group < count_; ++group) {
      if (scores[group] <= best[looked - 1]) continue;
      size_t place = looked - 1;
      for (; place > 0 && best[place - 1] < scores[group]; --place) {
        best[place] = best[place - 1];
        out[place] = out[place - 1];
      }
      best[place] = scores[group];
      out[place] = group;
    }
  }

  // The rows that look at each group, one group after the other.
  void sort_pairs(size_t pairs, size_t looked) {
    std::fill(first_pair_.begin(), first_pair_.end(), 0u);
    for (size_t i = 0; i < pairs; ++i) ++first_pair_[looked_[i] + 1];
    std::partial_sum(first_pair_.begin(), first_pair_.end(), first_pair_.begin());
    next_pair_.assign(first_pair_.begin(), first_pair_.end() - 1);
    for (size_t i = 0; i < pairs; ++i) sorted_[next_pair_[looked_[i]]++] = static_cast<uint32_t>(i / looked);
  }

  void compare(const Group& group, std::span<const uint32_t> batch) {
    std::array<int32_t, kRowsTogether> offsets;
    for (size_t i = 0; i < batch.size(); ++i) {
      std::memcpy(gathered_.data() + i * stride_, codes_.data() + batch[i] * stride_, stride_);
      offsets[i] = offsets_[batch[i]];
    }
    const size_t count = padded(group.size);
    kernels().code_rows_batch(gathered_.data(), offsets.data(), batch.size(), groups_.members_.codes(group.start), stride_,
                              groups_.members_.scales() + group.start, count, stride_, scores_.data());
    const uint32_t* const numbers = groups_.numbers_.data() + group.start;
    for (size_t i = 0; i < batch.size(); ++i) {
      uint64_t best = best_[batch[i]];
      for (size_t m = 0; m < group.size; ++m) best = std::max(best, claim(scores_[i * count + m], numbers[m]));
      best_[batch[i]] = best;
    }
  }

  const CentroidGroups& groups_;
  size_t stride_;
  size_t count_;  // of groups
  AlignedBuffer<int8_t> codes_;
  AlignedBuffer<int8_t> gathered_;
  std::vector<float> floats_;  // of a row
  PassingVector<float> scores_;
  std::array<int32_t, kChunk> offsets_;
  std::array<uint64_t, kChunk> best_;  // claims
  std::array<uint32_t, kChunk * kLooked> looked_;
  std::array<uint32_t, kChunk * kLooked> sorted_;
  std::vector<uint32_t> first_pair_;  // by group
  std::vector<uint32_t> next_pair_;
};

void CentroidGroups::assign(const RowView& rows, uint32_t* nearest) const {
  const auto assignment = std::make_unique<Assignment>(*this);
  for (size_t first = 0; first < rows.size(); first += kChunk) {
    check_interruption();
    assignment->run(rows.part(first, std::min(kChunk, rows.size() - first)), nearest + first);
  }
}

}  // namespace memspan
