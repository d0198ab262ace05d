#include "vectors/layout_builder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "simd/kernels.hpp"
#include "vectors/interruption.hpp"
#include "vectors/k_means.hpp"
#include "vectors/probe_calibration.hpp"
#include "vectors/short_rows_builder.hpp"

namespace memspan {
namespace {

constexpr uint32_t kLayoutSeed = 20240612;  // fixed: the same rows give the same layout
constexpr size_t kRounds = 8;
constexpr size_t kJudged = 4096;
// Clusters of tags are tried when they explain so much of what clusters of vectors explain on a sample, and taken when a
// search reads at most so many times the rows.
constexpr double kPlausible = 0.5;
constexpr double kMostRead = 1.5;
constexpr size_t kFewestTagClusters = 2;
// At most so many clusters of tags for each block that is planned: what holds fewer records than that leaves is no cluster.
constexpr double kTagClusters = 4.0;
// What joins is strange where its cosine with the nearest centroid lies so many standard deviations below what is usual in
// that block, and gets blocks of its own where there are so many.
constexpr float kStrange = 3.0f;
constexpr size_t kFewestStrangers = 8;
// Of those, what lies less than so near to its own block as the others do in the mean gets some more, for so many rows each.
constexpr double kScattered = 0.5;
constexpr size_t kScatteredForEach = 24;
// No cluster of tags may hold more than one in so many of the records: it would be no cluster.
constexpr size_t kLargestShare = 3;

double mean_cosine(const RowView& rows, std::span<const uint32_t> cluster, const float* centroids) {
  double sum = 0.0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sum += static_cast<double>(rows.dot(centroids + cluster[i] * rows.dim(), i));
  }
  return sum / static_cast<double>(rows.size());
}

PassingVector<float> mean_rows(const RowView& rows, std::span<const uint32_t> cluster, size_t count) {
  const size_t dim = rows.dim();
  std::vector<float> buffer(dim);
  PassingVector<float> sums(count * dim, 0.0f);
  for (size_t i = 0; i < rows.size(); ++i) {
    float* const sum = sums.data() + cluster[i] * dim;
    const float* const row = rows.floats(i, buffer.data());
    for (size_t d = 0; d < dim; ++d) sum[d] += row[d];
  }
  for (size_t c = 0; c < count; ++c) {
    float* const sum = sums.data() + c * dim;
    const float length = std::sqrt(kernels().dot(sum, sum, dim));
    if (length < 1e-6f) continue;
    for (size_t d = 0; d < dim; ++d) sum[d] /= length;
  }
  return sums;
}

// A row as its codes have it, of length 1.
void read_codes(const CodeRows& rows, size_t i, std::span<float> out) {
  const uint8_t* const codes = rows.codes(i);
  for (size_t d = 0; d < out.size(); ++d) out[d] = static_cast<float>(codes[d]) - static_cast<float>(kZeroCode);
  const float length = std::sqrt(kernels().dot(out.data(), out.data(), out.size()));
  for (float& value : out) value /= std::max(length, 1.0f);
}

class LayoutBuilder {
 public:
  LayoutBuilder(const LayoutInput& input, const TagClusters* tags)
      : input_(input), tags_(tags), layout_(std::make_unique<ClusterLayout>()), sorted_rows_(input.rows.shape()) {}

  BuiltLayout plan() {
    block_of_.assign(input_.slots.size(), 0);
    cluster_of_block_.assign(1, 0);
    layout_->clusters = 1;
    if (tags_ != nullptr) {
      layout_->basis = ClusterBasis::tags;
      cut_clusters_of_tags();
    } else if (input_.slots.size() >= kSmallestClustered) {
      layout_->basis = ClusterBasis::vectors;
      cut_vectors();
    }
    place_rows();
    summarise_blocks();
    if (layout_->blocks.size() > 1) calibrate_probing(*layout_, sorted_rows_, random_);
    layout_->planned_share = layout_->probed_share;
    layout_->planned_for = layout_->size;
    return {std::move(layout_), max_scale_};
  }

  BuiltLayout extend() {
    const ClusterLayout& base = *input_.base;
    layout_->basis = base.basis;
    layout_->clusters = base.clusters;
    layout_->cohesion = base.cohesion;
    layout_->overlap = base.overlap;
    layout_->reach = base.reach;
    layout_->tried = base.tried;
    layout_->probed_share = base.probed_share;
    layout_->planned_share = base.planned_share;
    layout_->planned_for = base.planned_for;
    for (const Block& block : base.blocks) cluster_of_block_.push_back(block.cluster);
    block_of_ = input_.blocks;
    join_blocks(base);
    place_rows();
    summarise_blocks();
    if (base.short_rows) layout_->short_rows = shorten_rows(*base.short_rows, sorted_rows_);
    layout_->joined = base.joined + joined_.size();
    calibrate_joined(*layout_, sorted_rows_, joined_, random_);
    return {std::move(layout_), max_scale_};
  }

 private:
  size_t block_count(size_t rows) const {
    const double share = static_cast<double>(rows) / static_cast<double>(input_.slots.size());
    return std::max<size_t>(1, static_cast<size_t>(std::lround(planned_blocks(input_.slots.size()) * share)));
  }

  void cut_vectors() {
    const Centroids centroids = find_centroids(input_.rows, block_count(input_.rows.size()), kRounds, random_);
    block_of_ = assign(input_.rows, centroids.codes, centroids.size());
    cluster_of_block_.resize(centroids.size());
    std::iota(cluster_of_block_.begin(), cluster_of_block_.end(), 0u);
    layout_->clusters = static_cast<uint32_t>(centroids.size());
  }

  // Each cluster of tags is cut into blocks by its vectors, in proportion to its records.
  void cut_clusters_of_tags() {
    std::vector<PassingVector<uint32_t>> members(tags_->count + 1);
    for (uint32_t i = 0; i < tags_->of_record.size(); ++i) {
      members[tags_->of_record[i] == kNoCluster ? tags_->count : tags_->of_record[i]].push_back(i);
    }
    cluster_of_block_.clear();
    layout_->clusters = tags_->count + (members.back().empty() ? 0 : 1);
    RowList rows(input_.rows.shape());
    for (uint32_t cluster = 0; cluster < members.size(); ++cluster) {
      if (members[cluster].empty()) continue;
      rows.clear();
      for (const uint32_t i : members[cluster]) rows.push_back(input_.rows[i]);
      const Centroids centroids = find_centroids(rows, block_count(rows.size()), kRounds, random_);
      const PassingVector<uint32_t> nearest = assign(rows, centroids.codes, centroids.size());
      const auto first = static_cast<uint32_t>(cluster_of_block_.size());
      for (size_t i = 0; i < rows.size(); ++i) block_of_[members[cluster][i]] = first + nearest[i];
      cluster_of_block_.resize(first + centroids.size(), cluster);
    }
  }

  // The blocks of `base` that are nearest. Those that are near none make blocks of their own, which the others of what joins
  // go to as well if these are nearer: some rows of a new topic lie near a wide block, and it would be torn apart.
  void join_blocks(const ClusterLayout& base) {
    RowList joining_rows(input_.rows.shape());
    PassingVector<uint32_t> joining;
    for (uint32_t i = 0; i < block_of_.size(); ++i) {
      if (block_of_[i] != kNoCluster) continue;
      joining_rows.push_back(input_.rows[i]);
      joining.push_back(i);
    }
    const RowView rows = joining_rows;
    const PassingVector<uint32_t> nearest = assign(rows, base.centroids, base.blocks.size());
    std::vector<float> centroid(input_.dim());
    PassingVector<float> cosines(joining.size());
    RowList strange(input_.rows.shape());
    for (size_t i = 0; i < joining.size(); ++i) {
      block_of_[joining[i]] = nearest[i];
      read_codes(base.centroids, nearest[i], centroid);
      cosines[i] = rows.dot(centroid.data(), i);
      const float usual = base.means[nearest[i]] - kStrange * std::sqrt(base.variances[nearest[i]]);
      if (cosines[i] < usual) strange.push_back(rows[i]);
    }
    const size_t known = cluster_of_block_.size();
    add_blocks(rows, joining, strange, block_count(strange.size()), cosines);
    // A topic that got none of them is scattered over all.
    double sum = 0.0;
    size_t moved = 0;
    const auto for_each_moved = [&](auto use) {
      for (size_t i = 0; i < joining.size(); ++i) {
        if (block_of_[joining[i]] >= known) use(i);
      }
    };
    for_each_moved([&](size_t i) { sum += static_cast<double>(cosines[i]), ++moved; });
    strange.clear();
    for_each_moved([&](size_t i) {
      if (static_cast<double>(cosines[i]) * static_cast<double>(moved) < kScattered * sum) strange.push_back(rows[i]);
    });
    add_blocks(rows, joining, strange, strange.size() / kScatteredForEach + 1, cosines);
  }

  // New blocks, found among some rows, for those of all that join which lie nearer to them than to their present ones.
  void add_blocks(const RowView& rows, std::span<const uint32_t> joining, const RowView& strange, size_t count,
                  std::span<float> cosines) {
    if (strange.size() < kFewestStrangers) return;
    const Centroids found = find_centroids(strange, count, kRounds, random_);
    const PassingVector<uint32_t> own = assign(rows, found.codes, found.size());
    const auto first = static_cast<uint32_t>(cluster_of_block_.size());
    for (size_t i = 0; i < joining.size(); ++i) {
      const float cosine = rows.dot(found.row(own[i]), i);
      if (cosine <= cosines[i]) continue;
      cosines[i] = cosine;
      block_of_[joining[i]] = first + own[i];
    }
    const bool one_cluster = input_.base->basis == ClusterBasis::tags;
    for (uint32_t block = 0; block < found.size(); ++block) {
      cluster_of_block_.push_back(layout_->clusters + (one_cluster ? 0 : block));
    }
    layout_->clusters += one_cluster ? 1 : static_cast<uint32_t>(found.size());
  }

  // The rows in the order of the layout: blocks one after the other, those of a block by time, and of one time by slot.
  // O(rows) where they come in that order, as those of a conversation do.
  PassingVector<uint32_t> order_of_rows() const {
    const size_t count = input_.slots.size();
    std::vector<uint32_t> next(cluster_of_block_.size() + 1, 0);  // free place
    for (const uint32_t block : block_of_) ++next[block + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    PassingVector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; ++i) order[next[block_of_[i]]++] = i;
    const auto earlier = [this](uint32_t a, uint32_t b) {
      return std::pair(input_.ats[a], input_.slots[a]) < std::pair(input_.ats[b], input_.slots[b]);
    };
    auto start = order.begin();
    for (size_t block = 0; block < cluster_of_block_.size(); ++block) {
      const auto end = order.begin() + next[block];
      if (!std::is_sorted(start, end, earlier)) std::sort(start, end, earlier);
      start = end;
    }
    return order;
  }

  // Empty blocks vanish.
  void place_rows() {
    const size_t count = input_.slots.size();
    const PassingVector<uint32_t> order = order_of_rows();
    layout_->rows = CodeRows(input_.dim(), count);
    layout_->size = count;
    sorted_rows_.resize(count);
    std::vector<float> buffer(input_.dim());
    for (uint32_t position = 0; position < count; ++position) {
      if (position % 1024 == 0) check_interruption();
      const uint32_t i = order[position];
      const float* const row = input_.rows.floats(i, buffer.data());
      max_scale_ = std::max(max_scale_, layout_->rows.put(position, input_.slots[i], input_.ats[i], row));
      sorted_rows_[position] = input_.rows[i];
      if (input_.base != nullptr && input_.blocks[i] == kNoCluster) joined_.push_back(position);
      if (position == 0 || block_of_[i] != block_of_[order[position - 1]]) {
        layout_->blocks.push_back({position, position, cluster_of_block_[block_of_[i]]});
      }
      layout_->blocks.back().end = position + 1;
    }
    layout_->note_times();
  }

  void summarise_blocks() {
    const size_t dim = input_.dim();
    const RowView rows = sorted_rows_;
    PassingVector<uint32_t> block_at(layout_->size);
    for (uint32_t b = 0; b < layout_->blocks.size(); ++b) {
      std::fill(block_at.begin() + layout_->blocks[b].start, block_at.begin() + layout_->blocks[b].end, b);
    }
    const size_t count = layout_->blocks.size();
    const PassingVector<float> centroids = mean_rows(rows, block_at, count);
    layout_->centroids = CodeRows(dim, count);
    layout_->means.resize(count);
    layout_->variances.resize(count);
    layout_->orthogonals.resize(count);
    for (size_t b = 0; b < count; ++b) {
      check_interruption();
      const float* const centroid = centroids.data() + b * dim;
      layout_->centroids.put(b, static_cast<Slot>(b), 0, centroid);
      double mean = 0.0, square = 0.0;
      for (uint32_t p = layout_->blocks[b].start; p < layout_->blocks[b].end; ++p) {
        const auto cosine = static_cast<double>(rows.dot(centroid, p));
        mean += cosine;
        square += cosine * cosine;
      }
      const double size = layout_->blocks[b].end - layout_->blocks[b].start;
      mean /= size;
      square /= size;
      layout_->means[b] = static_cast<float>(mean);
      // Of rows that point either way it is 1, or more, as rows in bfloat16 may be a little longer.
      layout_->variances[b] = static_cast<float>(std::clamp(square - mean * mean, 0.0, 1.0));
      layout_->orthogonals[b] = layout_->overlap * static_cast<float>(std::max(0.0, 1.0 - square));
    }
  }

  const LayoutInput& input_;
  const TagClusters* tags_;     // null: clusters of vectors
  std::mt19937 random_{kLayoutSeed};
  std::unique_ptr<ClusterLayout> layout_;
  PassingVector<uint32_t> block_of_;          // by record, before empty blocks vanish
  std::vector<uint32_t> cluster_of_block_;  // the same blocks
  RowList sorted_rows_;                     // by position
  PassingVector<uint32_t> joined_;          // positions of rows that were in no block of the base
  float max_scale_ = 0.0f;
};

// Records without tags, or with tags that hardly occur, form one more cluster, the last.
void drop_tiny_clusters(TagClusters& tags) {
  std::vector<size_t> records(tags.count, 0);
  for (const uint32_t cluster : tags.of_record) {
    if (cluster != kNoCluster) ++records[cluster];
  }
  const size_t rows = tags.of_record.size();
  const auto least = static_cast<size_t>(static_cast<double>(rows) / (kTagClusters * planned_blocks(rows)));
  std::vector<uint32_t> number(tags.count, kNoCluster);
  uint32_t kept = 0;
  for (uint32_t c = 0; c < tags.count; ++c) {
    if (records[c] > least) number[c] = kept++;
  }
  for (uint32_t& cluster : tags.of_record) {
    if (cluster != kNoCluster) cluster = number[cluster];
  }
  tags.count = kept;
}

// Do the clusters of tags lie together as vectors too? Judged on a sample, against as many clusters of vectors.
bool plausible(const TagClusters& tags, const LayoutInput& input) {
  if (input.slots.size() < kSmallestClustered || tags.count < kFewestTagClusters) return false;
  std::mt19937 random(kLayoutSeed);
  RowList rows(input.rows.shape());
  PassingVector<uint32_t> cluster;
  const size_t step = std::max<size_t>(1, input.rows.size() / kJudged);
  for (size_t i = random() % step; i < input.rows.size(); i += step) {
    rows.push_back(input.rows[i]);
    cluster.push_back(tags.of_record[i] == kNoCluster ? tags.count : tags.of_record[i]);
  }
  const auto cosine = [&](std::span<const uint32_t> of_row, size_t count) {
    return mean_cosine(rows, of_row, mean_rows(rows, of_row, count).data());
  };
  const size_t count = tags.count + 1;
  const double together = cosine(PassingVector<uint32_t>(rows.size(), 0), 1);
  const Centroids centroids = find_centroids(rows, count, 4, random);
  const double by_vectors = cosine(assign(rows, centroids.codes, centroids.size()), count);
  return cosine(cluster, count) - together >= kPlausible * (by_vectors - together);
}

double rows_read(const ClusterLayout& layout) {
  return static_cast<double>(layout.blocks.size()) + static_cast<double>(layout.probed_share) * static_cast<double>(layout.size);
}

}  // namespace

BuiltLayout plan_layout(const LayoutInput& input) {
  TagClusters tags = cluster_tags(input.tags, std::max<size_t>(1, input.slots.size() / kLargestShare));
  drop_tiny_clusters(tags);
  BuiltLayout built = LayoutBuilder(input, nullptr).plan();
  if (plausible(tags, input)) {
    BuiltLayout by_tags = LayoutBuilder(input, &tags).plan();
    if (rows_read(*by_tags.layout) <= kMostRead * rows_read(*built.layout)) built = std::move(by_tags);
  }
  return built;
}

BuiltLayout extend_layout(const LayoutInput& input) { return LayoutBuilder(input, nullptr).extend(); }

}  // namespace memspan
