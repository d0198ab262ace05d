#include "tags/tag_router.hpp"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "base/fair_shared_mutex.hpp"
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

struct Graph {
  Graph(size_t dim, size_t capacity) : space(dim), hnsw(&space, capacity, kLinks, kConstructionWidth, kSeed) {
    hnsw.setEf(kMinSearchWidth);
  }
  InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> hnsw;
};

// Of the embeddings of a tag's records.
struct Sum {
  std::vector<double> values;
  size_t count = 0;

  // Writes their mean's direction; false if no record is embedded or the embeddings cancel out.
  bool take_mean(float* row) const {
    double norm = 0.0;
    for (double value : values) norm += value * value;
    if (count == 0 || norm < 1e-12) return false;
    const double scale = 1.0 / std::sqrt(norm);
    for (size_t i = 0; i < values.size(); ++i) row[i] = static_cast<float>(values[i] * scale);
    return true;
  }
};

constexpr size_t kSummedRecords = 64;  // the sum of fewer is quickly made anew

}  // namespace

// What searches derive from the tags. The mutex guards it between readers.
struct TagRouter::State {
  State(size_t dim_, size_t capacity) : dim(dim_) {
    for (TagId tag = 0; tag < capacity; ++tag) note(tag);
  }

  // Makes room for the tags below `capacity`.
  void cover(size_t capacity) {
    if (capacity <= is_dirty.size()) return;
    if (capacity > dirty.capacity()) dirty.reserve(std::max(capacity, 2 * dirty.capacity()));
    is_dirty.resize(capacity, 0);
  }
  void note(TagId tag) {
    cover(size_t{tag} + 1);
    if (is_dirty[tag]) return;
    is_dirty[tag] = 1;
    dirty.push_back(tag);
  }

  bool wants_graph(RouteMethod method) const {
    return method == RouteMethod::hnsw ? count > 0 : method == RouteMethod::automatic && count > kExactLimit;
  }
  void refresh(const TagDag& tags, const VectorTable& vectors);
  void refresh_tag(TagId tag, const TagDag& tags, const VectorTable& vectors);
  void build_graph();
  std::vector<TagId> graph_candidates(const float* unit_query, size_t k) const;

  size_t dim;
  FairSharedMutex mutex;
  std::vector<float> rows;  // by tag; unit length
  std::vector<uint8_t> present;
  size_t count = 0;                         // of present rows
  std::vector<std::unique_ptr<Sum>> sums;  // by tag; null: not kept
  std::vector<TagId> dirty;
  std::vector<uint8_t> is_dirty;
  std::unique_ptr<Graph> graph;  // null until the first search through it
};

TagRouter::~TagRouter() { delete state_.load(); }

TagRouter::State& TagRouter::state(size_t capacity) const {
  State* state = state_.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  auto made = std::make_unique<State>(dim_, capacity);
  // Of several first searches one sets it; until a write comes all would make the same.
  if (state_.compare_exchange_strong(state, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *state;
}

void TagRouter::cover(size_t capacity) {
  if (State* state = state_.load(std::memory_order_acquire)) state->cover(capacity);
}

void TagRouter::changed(TagId tag) {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return;
  if (tag < state->sums.size()) state->sums[tag].reset();
  state->note(tag);
}

void TagRouter::adjust(TagId tag, std::span<const float> embedding, double sign) {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || embedding.empty()) return;
  if (tag < state->sums.size() && state->sums[tag]) {
    Sum& sum = *state->sums[tag];
    for (size_t i = 0; i < dim_; ++i) sum.values[i] += sign * static_cast<double>(embedding[i]);
    sum.count += sign > 0.0 ? 1 : size_t{0} - 1;
  }
  state->note(tag);
}

void TagRouter::State::refresh_tag(TagId tag, const TagDag& tags, const VectorTable& vectors) {
  count -= present[tag];
  present[tag] = 0;
  if (!tags.exists(tag)) return;
  float* row = rows.data() + size_t{tag} * dim;
  if (const std::span<const float> own = tags.embedding(tag); !own.empty()) {
    std::copy(own.begin(), own.end(), row);
  } else if (sums[tag]) {
    if (!sums[tag]->take_mean(row)) return;
  } else {
    Sum sum{std::vector<double>(dim, 0.0)};
    for (Slot slot : tags.records(tag)) {
      if (!vectors.has(slot)) continue;
      const std::span<const float> record = vectors.row(slot);
      for (size_t i = 0; i < dim; ++i) sum.values[i] += static_cast<double>(record[i]);
      ++sum.count;
    }
    const bool exists = sum.take_mean(row);
    if (sum.count > kSummedRecords) sums[tag] = std::make_unique<Sum>(std::move(sum));
    if (!exists) return;
  }
  present[tag] = 1;
  ++count;
}

void TagRouter::State::refresh(const TagDag& tags, const VectorTable& vectors) {
  const size_t capacity = tags.capacity();
  if (capacity > present.size()) {
    rows.resize(capacity * dim, 0.0f);
    present.resize(capacity, 0);
    sums.resize(capacity);
  }
  std::vector<uint8_t> was_present;
  for (TagId tag : dirty) {
    was_present.push_back(present[tag]);
    refresh_tag(tag, tags, vectors);
  }
  // hnswlib rewires an updated point badly when many change; past a quarter a new graph is cheaper and better.
  if (graph && (dirty.size() * 4 > count || capacity > graph->hnsw.getMaxElements())) graph.reset();
  if (graph) {
    for (size_t i = 0; i < dirty.size(); ++i) {
      const TagId tag = dirty[i];
      if (present[tag]) {
        graph->hnsw.addPoint(rows.data() + size_t{tag} * dim, tag);
      } else if (was_present[i]) {
        graph->hnsw.markDelete(tag);
      }
    }
  }
  for (TagId tag : dirty) is_dirty[tag] = 0;
  dirty.clear();
}

void TagRouter::State::build_graph() {
  graph = std::make_unique<Graph>(dim, present.size() * 2);
  for (TagId tag = 0; tag < present.size(); ++tag) {
    if (present[tag]) graph->hnsw.addPoint(rows.data() + size_t{tag} * dim, tag);
  }
}

std::vector<TagId> TagRouter::State::graph_candidates(const float* unit_query, size_t k) const {
  // Twice k: what the graph's own distance ties or rounds apart is decided by the exact score afterwards.
  auto found = graph->hnsw.searchKnn(unit_query, std::min(count, std::max(2 * k, k + 16)));
  std::vector<TagId> candidates;
  for (; !found.empty(); found.pop()) candidates.push_back(static_cast<TagId>(found.top().second));
  return candidates;
}

void TagRouter::follow(const TagRouter& other, const TagDag& tags, const VectorTable& vectors) {
  State* const searched = other.state_.load(std::memory_order_acquire);
  if (searched == nullptr) return;
  const std::shared_lock reading(searched->mutex);
  State& state = this->state(tags.capacity());
  state.refresh(tags, vectors);
  if (searched->graph) state.build_graph();
}

std::vector<std::pair<TagId, float>> TagRouter::route(const float* unit_query, size_t k, RouteMethod method,
                                                      const TagDag& tags, const VectorTable& vectors) const {
  State& state = this->state(tags.capacity());
  std::shared_lock reading(state.mutex);
  while (!state.dirty.empty() || (!state.graph && state.wants_graph(method))) {
    reading.unlock();
    {
      std::unique_lock writing(state.mutex);
      state.refresh(tags, vectors);
      if (!state.graph && state.wants_graph(method)) state.build_graph();
    }
    reading.lock();
  }

  if (state.count == 0) return {};
  std::vector<TagId> candidates;
  if (state.graph && state.wants_graph(method)) {
    candidates = state.graph_candidates(unit_query, k);
  } else {
    for (TagId tag = 0; tag < state.present.size(); ++tag) {
      if (state.present[tag]) candidates.push_back(tag);
    }
  }

  std::vector<float> scores(candidates.size());
  kernels().dot_gather(unit_query, state.rows.data(), dim_, candidates.data(), candidates.size(), dim_, scores.data());
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
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return 0;
  std::shared_lock reading(state->mutex);
  const auto summed = std::count_if(state->sums.begin(), state->sums.end(), [](const auto& sum) { return sum != nullptr; });
  return sizeof(State) + state->rows.capacity() * sizeof(float) + state->present.capacity() +
         state->is_dirty.capacity() + state->dirty.capacity() * sizeof(TagId) +
         state->sums.capacity() * sizeof(state->sums[0]) +
         static_cast<size_t>(summed) * (sizeof(Sum) + dim_ * sizeof(double)) +
         (state->graph ? state->graph->hnsw.getMaxElements() * (dim_ * sizeof(float) + 2 * kLinks * sizeof(uint32_t)) : 0);
}

}  // namespace memspan
