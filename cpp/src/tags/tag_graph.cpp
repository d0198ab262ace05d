#include "tags/tag_graph.hpp"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "base/bitset.hpp"
#include "simd/kernels.hpp"

namespace memspan {
namespace {

constexpr size_t kSeed = 1;
constexpr size_t kLinks = 16;               // hnswlib's M
constexpr size_t kConstructionWidth = 128;  // ef_construction
// hnswlib's ef: so wide that 99 % of what is nearest to real questions is found among 5,300 tags (ARCHITECTURE.md).
constexpr size_t kSearchWidth = 512;
constexpr size_t kFirstCapacity = 256;

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

struct TagGraph::Links {
  explicit Links(size_t dim) : space(dim), hnsw(&space, kFirstCapacity, kLinks, kConstructionWidth, kSeed) {
    hnsw.setEf(kSearchWidth);
  }
  InnerProductSpace space;
  hnswlib::HierarchicalNSW<float> hnsw;
  Bitset present;  // by tag
};

TagGraph::TagGraph(size_t dim) : links_(std::make_unique<Links>(dim)) {}
TagGraph::~TagGraph() = default;

void TagGraph::put(TagId tag, const float* unit_vector) {
  const std::unique_lock alone(mutex_);
  auto& hnsw = links_->hnsw;
  if (hnsw.getCurrentElementCount() == hnsw.getMaxElements()) hnsw.resizeIndex(2 * hnsw.getMaxElements());
  if (tag >= links_->present.size()) links_->present.resize(std::max<size_t>(2 * links_->present.size(), size_t{tag} + 1));
  hnsw.addPoint(unit_vector, tag);
  links_->present.set(tag);
  const size_t per_point = hnsw.size_data_per_element_ + sizeof(void*);
  bytes_ = sizeof(*this) + sizeof(Links) + hnsw.getMaxElements() * per_point + links_->present.bytes();
}

void TagGraph::erase(TagId tag) {
  const std::unique_lock alone(mutex_);
  if (tag >= links_->present.size() || !links_->present.test(tag)) return;
  links_->hnsw.markDelete(tag);
  links_->present.reset(tag);
}

bool TagGraph::nearest(const float* query, size_t most, std::vector<TagId>& found) const {
  const std::shared_lock reading(mutex_, std::try_to_lock);
  if (!reading) return false;
  for (auto nearest = links_->hnsw.searchKnn(query, most); !nearest.empty(); nearest.pop()) {
    found.push_back(static_cast<TagId>(nearest.top().second));
  }
  return true;
}

}  // namespace memspan
