#include "tags/tag_router.hpp"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <shared_mutex>

#include "simd/kernels.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

// Fixed so that the same tags give the same graph in every process.
constexpr size_t kSeed = 1;
constexpr size_t kLinks = 24;             // hnswlib's M
constexpr size_t kConstructionWidth = 256;  // ef_construction
// Wide enough that the graph's answers equalled the exact ones in every test; see tests/property/test_routing.py.
constexpr size_t kMinSearchWidth = 512;  // ef

float inner_product_distance(const void* a, const void* b, const void* dim) {
  return 1.0f - kernels().dot(static_cast<const float*>(a), static_cast<const float*>(b),
                              *static_cast<const size_t*>(dim));
}

// hnswlib picks its own distance functions at compile time; this one uses the kernels chosen at start-up.
class InnerProductSpace : public hnswlib::SpaceInterface<float> {
 public:
  explicit InnerProductSpace(size_t dim) : dim_(dim) {}
  size_t get_data_size() override { return dim_ * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return inner_product_distance; }
  void* get_dist_func_param() override { return &dim_; }

 private:
  size_t dim_;
};

}  // namespace

struct TagRouter::Graph {
  Graph(size_t dim, size_t capacity) : space(dim), hnsw(&space, capacity, kLinks, kConstructionWidth, kSeed) {
    hnsw.setEf(kMinSearchWidth);
  }
  InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> hnsw;
};

TagRouter::TagRouter(size_t dim) : dim_(dim) {}
TagRouter::~TagRouter() = default;

void TagRouter::cover(size_t capacity) {
  if (capacity <= is_dirty_.size()) return;
  if (capacity > dirty_.capacity()) dirty_.reserve(std::max(capacity, 2 * dirty_.capacity()));
  is_dirty_.resize(capacity, 0);
}

void TagRouter::changed(TagId tag) {
  cover(size_t{tag} + 1);
  if (tag < sums_.size()) sums_[tag].reset();
  if (is_dirty_[tag]) return;
  is_dirty_[tag] = 1;
  dirty_.push_back(tag);
}

void TagRouter::adjust(TagId tag, std::span<const float> embedding, double sign) {
  if (embedding.empty()) return;
  if (tag >= sums_.size() || !sums_[tag]) return changed(tag);
  Sum& sum = *sums_[tag];
  for (size_t i = 0; i < dim_; ++i) sum.values[i] += sign * static_cast<double>(embedding[i]);
  sum.count += sign > 0.0 ? 1 : size_t{0} - 1;
  if (is_dirty_[tag]) return;
  is_dirty_[tag] = 1;
  dirty_.push_back(tag);
}

bool TagRouter::take_mean(const Sum& sum, float* row) const {
  double norm = 0.0;
  for (double value : sum.values) norm += value * value;
  if (sum.count == 0 || norm < 1e-12) return false;  // no embedded record, or embeddings that cancel out
  const double scale = 1.0 / std::sqrt(norm);
  for (size_t i = 0; i < dim_; ++i) row[i] = static_cast<float>(sum.values[i] * scale);
  return true;
}

void TagRouter::refresh_tag(TagId tag, const TagDag& tags, const VectorTable& vectors) const {
  count_ -= present_[tag];
  present_[tag] = 0;
  if (!tags.exists(tag)) return;
  float* row = rows_.data() + size_t{tag} * dim_;
  if (const std::span<const float> own = tags.embedding(tag); !own.empty()) {
    std::copy(own.begin(), own.end(), row);
  } else if (sums_[tag]) {
    if (!take_mean(*sums_[tag], row)) return;
  } else {
    Sum sum{std::vector<double>(dim_, 0.0)};
    for (Slot slot : tags.records(tag)) {
      if (!vectors.has(slot)) continue;
      const std::span<const float> record = vectors.row(slot);
      for (size_t i = 0; i < dim_; ++i) sum.values[i] += static_cast<double>(record[i]);
      ++sum.count;
    }
    const bool exists = take_mean(sum, row);
    if (sum.count > kSummedRecords) sums_[tag] = std::make_unique<Sum>(std::move(sum));
    if (!exists) return;
  }
  present_[tag] = 1;
  ++count_;
}

void TagRouter::refresh(const TagDag& tags, const VectorTable& vectors) const {
  const size_t capacity = tags.capacity();
  if (capacity > present_.size()) {
    rows_.resize(capacity * dim_, 0.0f);
    present_.resize(capacity, 0);
    sums_.resize(capacity);
  }
  std::vector<uint8_t> was_present;
  for (TagId tag : dirty_) {
    was_present.push_back(present_[tag]);
    refresh_tag(tag, tags, vectors);
  }
  // hnswlib rewires an updated point badly when many change; past a quarter a new graph is cheaper and better.
  if (graph_ && (dirty_.size() * 4 > count_ || capacity > graph_->hnsw.getMaxElements())) graph_.reset();
  if (graph_) {
    for (size_t i = 0; i < dirty_.size(); ++i) {
      const TagId tag = dirty_[i];
      if (present_[tag]) {
        graph_->hnsw.addPoint(rows_.data() + size_t{tag} * dim_, tag);
      } else if (was_present[i]) {
        graph_->hnsw.markDelete(tag);
      }
    }
  }
  for (TagId tag : dirty_) is_dirty_[tag] = 0;
  dirty_.clear();
}

void TagRouter::build_graph() const {
  graph_ = std::make_unique<Graph>(dim_, present_.size() * 2);
  for (TagId tag = 0; tag < present_.size(); ++tag) {
    if (present_[tag]) graph_->hnsw.addPoint(rows_.data() + size_t{tag} * dim_, tag);
  }
}

std::vector<TagId> TagRouter::graph_candidates(const float* unit_query, size_t k) const {
  // Twice k: what the graph's own distance ties or rounds apart is decided by the exact score afterwards.
  auto found = graph_->hnsw.searchKnn(unit_query, std::min(count_, std::max(2 * k, k + 16)));
  std::vector<TagId> candidates;
  for (; !found.empty(); found.pop()) candidates.push_back(static_cast<TagId>(found.top().second));
  return candidates;
}

std::vector<std::pair<TagId, float>> TagRouter::route(const float* unit_query, size_t k, RouteMethod method,
                                                      const TagDag& tags, const VectorTable& vectors) const {
  std::shared_lock reading(mutex_);
  while (!dirty_.empty() || (method != RouteMethod::exact && !graph_ &&
                             (method == RouteMethod::hnsw || count_ > kExactLimit) && count_ > 0)) {
    reading.unlock();
    {
      std::unique_lock writing(mutex_);
      refresh(tags, vectors);
      if (method != RouteMethod::exact && !graph_ && (method == RouteMethod::hnsw || count_ > kExactLimit) &&
          count_ > 0) {
        build_graph();
      }
    }
    reading.lock();
  }

  if (count_ == 0) return {};
  std::vector<TagId> candidates;
  const bool through_graph = graph_ && method != RouteMethod::exact &&
                             (method == RouteMethod::hnsw || count_ > kExactLimit);
  if (through_graph) {
    candidates = graph_candidates(unit_query, k);
  } else {
    for (TagId tag = 0; tag < present_.size(); ++tag) {
      if (present_[tag]) candidates.push_back(tag);
    }
  }

  std::vector<float> scores(candidates.size());
  kernels().dot_gather(unit_query, rows_.data(), dim_, candidates.data(), candidates.size(), dim_, scores.data());
  std::vector<std::pair<TagId, float>> best(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) best[i] = {candidates[i], scores[i]};
  const auto better = [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return tags.name(a.first) < tags.name(b.first);
  };
  const size_t kept = std::min(k, best.size());
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(), better);
  best.resize(kept);
  return best;
}

size_t TagRouter::bytes() const {
  std::shared_lock reading(mutex_);
  const auto summed = std::count_if(sums_.begin(), sums_.end(), [](const auto& sum) { return sum != nullptr; });
  return rows_.capacity() * sizeof(float) + present_.capacity() + is_dirty_.capacity() +
         dirty_.capacity() * sizeof(TagId) + sums_.capacity() * sizeof(sums_[0]) +
         static_cast<size_t>(summed) * (sizeof(Sum) + dim_ * sizeof(double)) +
         (graph_ ? graph_->hnsw.getMaxElements() * (dim_ * sizeof(float) + 2 * kLinks * sizeof(uint32_t)) : 0);
}

}  // namespace memspan
