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

void TagRouter::changed(TagId tag) {
  if (tag >= is_dirty_.size()) is_dirty_.resize(tag + 1, 0);
  if (is_dirty_[tag]) return;
  is_dirty_[tag] = 1;
  dirty_.push_back(tag);
}

void TagRouter::refresh_tag(TagId tag, const TagDag& tags, const VectorTable& vectors) const {
  count_ -= present_[tag];
  present_[tag] = 0;
  if (!tags.exists(tag)) return;
  float* row = rows_.data() + size_t{tag} * dim_;
  if (const std::span<const float> own = tags.embedding(tag); !own.empty()) {
    std::copy(own.begin(), own.end(), row);
  } else {
    std::vector<double> sum(dim_, 0.0);
    for (Slot slot : tags.records(tag)) {
      const std::span<const float> record = vectors.row(slot);
      for (size_t i = 0; i < dim_; ++i) sum[i] += static_cast<double>(record[i]);
    }
    double norm = 0.0;
    for (double value : sum) norm += value * value;
    if (norm < 1e-12) return;  // no embedded record, or embeddings that cancel out
    const double scale = 1.0 / std::sqrt(norm);
    for (size_t i = 0; i < dim_; ++i) row[i] = static_cast<float>(sum[i] * scale);
  }
  present_[tag] = 1;
  ++count_;
}

void TagRouter::refresh(const TagDag& tags, const VectorTable& vectors) const {
  const size_t capacity = tags.capacity();
  if (capacity > present_.size()) {
    rows_.resize(capacity * dim_, 0.0f);
    present_.resize(capacity, 0);
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
  return rows_.capacity() * sizeof(float) + present_.capacity() + is_dirty_.capacity() +
         dirty_.capacity() * sizeof(TagId) +
         (graph_ ? graph_->hnsw.getMaxElements() * (dim_ * sizeof(float) + 2 * kLinks * sizeof(uint32_t)) : 0);
}

}  // namespace memspan
