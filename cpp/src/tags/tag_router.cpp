#include "tags/tag_router.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "base/bitset.hpp"
#include "base/chunked_vector.hpp"
#include "base/fair_shared_mutex.hpp"
#include "tags/tag_sum.hpp"
#include "tags/tag_vectors.hpp"

namespace memspan {
namespace {

constexpr size_t kMoreWanted = 8;      // times as many are looked at where too few of the best show, before all are
constexpr size_t kSummedRecords = 64;  // the sum of fewer is quickly made anew

// Tags in the order in which they were noted, each once. Those below `size` can be noted without memory.
class NotedTags {
 public:
  void cover(size_t size) {
    if (tags_.capacity() < size) tags_.reserve(2 * size);
    is_noted_.resize(size);
  }
  void note(TagId tag) {
    if (is_noted_.test(tag)) return;
    is_noted_.set(tag);
    tags_.push_back(tag);
  }
  TagId last() const { return tags_.back(); }
  void drop_last() {
    is_noted_.reset(tags_.back());
    tags_.pop_back();
  }
  void clear() {
    while (!empty()) drop_last();
  }
  bool empty() const { return tags_.empty(); }
  std::span<const TagId> tags() const { return tags_; }
  size_t bytes() const { return tags_.capacity() * sizeof(TagId) + is_noted_.bytes(); }

 private:
  std::vector<TagId> tags_;
  Bitset is_noted_;
};

}  // namespace

// What searches derive from the tags. The mutex guards it between readers.
struct TagRouter::State {
  explicit State(size_t dim_) : dim(dim_), vectors(dim_), row(dim_) {}

  bool ready(const TagDag& tags) const { return noted.empty() && vectors.size() == tags.capacity(); }
  void add_tag();
  bool refresh(TagId tag, const TagDag& tags, const VectorTable& records, size_t& left);
  void set(TagId tag, const float* unit_vector);

  // How many vectors the graph lacks or has as they were. It is searched while they are few, and then made up to date until
  // they are fewer; hnswlib rewires an updated point badly when many change: then a new graph is cheaper and better.
  size_t behind() const { return stale.tags().size() + (vectors.size() - fed) + underway.size(); }
  bool searches_graph() const { return graph && behind() * 16 <= vectors.count(); }
  bool fed_enough() const { return behind() * 64 <= vectors.count(); }
  bool wants_new_graph() const { return !graph || (complete && behind() * 4 > vectors.count()); }
  bool nearest_by_graph(const float* query, size_t k, std::vector<Candidate>& found) const;

  size_t dim;
  FairSharedMutex mutex;
  TagVectors vectors;  // tags behind its size were never looked at
  ChunkedVector<std::unique_ptr<TagSum>, 256> sums;  // by tag; null: not kept
  NotedTags noted;     // changed since then
  std::vector<float> row;

  std::shared_ptr<TagGraph> graph;  // null until somebody asks for it
  bool complete = false;            // was it ever fed enough?
  size_t fed = 0;                   // tags below it went into the graph,
  NotedTags stale;                  // these of them with another vector than now
  std::vector<TagId> underway;      // and this one may not have arrived
};

TagRouter::~TagRouter() { delete state_.load(); }

TagRouter::State& TagRouter::state() const {
  State* state = state_.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  auto made = std::make_unique<State>(dim_);
  // Of several first searches one sets it; until a write comes all would make the same.
  if (state_.compare_exchange_strong(state, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *state;
}

void TagRouter::changed(TagId tag) {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || tag >= state->vectors.size()) return;
  state->sums[tag].reset();
  state->noted.note(tag);
}

void TagRouter::adjust(TagId tag, Slot slot, std::span<const float> embedding, double sign) {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr || tag >= state->vectors.size() || embedding.empty()) return;
  if (TagSum* const sum = state->sums[tag].get()) sum->follow(slot, embedding, sign);
  state->noted.note(tag);
}

void TagRouter::State::add_tag() {
  const size_t size = vectors.size() + 1;
  noted.cover(size);
  stale.cover(size);
  sums.resize(size);
  vectors.add();
  noted.note(static_cast<TagId>(size - 1));
}

void TagRouter::State::set(TagId tag, const float* unit_vector) {
  if (graph && tag < fed) stale.note(tag);
  unit_vector != nullptr ? vectors.put(tag, unit_vector) : vectors.erase(tag);
}

// False: `left` has run out.
bool TagRouter::State::refresh(TagId tag, const TagDag& tags, const VectorTable& records, size_t& left) {
  if (left == 0) return false;
  if (!tags.exists(tag)) {
    set(tag, nullptr);
  } else if (const std::span<const float> own = tags.embedding(tag); !own.empty()) {
    set(tag, own.data());
  } else {
    if (!sums[tag]) sums[tag] = std::make_unique<TagSum>(dim);
    TagSum& sum = *sums[tag];
    if (!sum.complete()) sum.read(tags.records(tag), records, left);
    if (!sum.complete()) return false;
    set(tag, sum.take_mean(row.data()) ? row.data() : nullptr);
    if (sum.count() <= kSummedRecords) sums[tag].reset();
  }
  left -= std::min(left, dim);
  return true;
}

bool TagRouter::ready(const TagDag& tags) const {
  State& state = this->state();
  const std::shared_lock reading(state.mutex, std::try_to_lock);
  return reading && state.ready(tags);
}

bool TagRouter::catch_up(const TagDag& tags, const VectorTable& vectors, size_t numbers) const {
  State& state = this->state();
  const std::unique_lock alone(state.mutex);
  while (!state.ready(tags)) {
    if (state.noted.empty()) state.add_tag();
    if (!state.refresh(state.noted.last(), tags, vectors, numbers)) return false;
    state.noted.drop_last();
  }
  return true;
}

void TagRouter::follow(const TagRouter& other, const TagDag& tags, const VectorTable& vectors) {
  if (other.state_.load(std::memory_order_acquire) != nullptr) catch_up(tags, vectors, ~size_t{0});
}

bool TagRouter::next_step(GraphStep& step) const {
  State& state = this->state();
  const std::unique_lock alone(state.mutex);
  // Of a pass that failed, or of a graph that was given up.
  if (step.graph != state.graph && state.graph) {
    for (const TagId tag : state.underway) state.stale.note(tag);
  }
  state.underway.clear();
  if (state.wants_new_graph()) {
    state.graph = std::make_shared<TagGraph>(state.dim);
    state.complete = false;
    state.fed = 0;
    state.stale.clear();
  }
  if (state.fed_enough()) {
    state.complete = true;
    return false;
  }
  step.graph = state.graph;
  state.underway.reserve(1);
  if (state.fed < state.vectors.size()) {
    step.tag = static_cast<TagId>(state.fed);
  } else {
    step.tag = state.stale.last();
  }
  const bool exists = state.vectors.has(step.tag);
  const float* const row = state.vectors.row(step.tag);
  step.row.assign(row, row + (exists ? state.dim : 0));
  if (state.fed < state.vectors.size()) {
    ++state.fed;
  } else {
    state.stale.drop_last();
  }
  state.underway.push_back(step.tag);
  return true;
}

bool TagRouter::State::nearest_by_graph(const float* query, size_t k, std::vector<Candidate>& found) const {
  std::vector<TagId> tags(stale.tags().begin(), stale.tags().end());
  tags.insert(tags.end(), underway.begin(), underway.end());
  for (size_t tag = fed; tag < vectors.size(); ++tag) tags.push_back(static_cast<TagId>(tag));
  // Twice k: what the graph's own distance ties or rounds apart is decided by the exact score afterwards.
  if (!graph->nearest(query, std::min(vectors.count(), std::max(2 * k, k + 16)), tags)) return false;
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  vectors.score(query, tags, found);
  return true;
}

std::vector<std::pair<TagId, float>> TagRouter::route(const float* unit_query, size_t k, RouteMethod method,
                                                      const TagDag& tags, const VectorTable& vectors,
                                                      const TagDag::Hidden& hidden) const {
  State& state = this->state();
  std::shared_lock reading(state.mutex);
  while (!state.ready(tags)) {
    reading.unlock();
    catch_up(tags, vectors, ~size_t{0});
    reading.lock();
  }
  std::vector<Candidate> found;
  std::vector<std::pair<TagId, float>> best;
  best.reserve(std::min(k, state.vectors.count()));
  const auto better = [&](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return tags.name(a.slot) < tags.name(b.slot);
  };
  for (size_t wanted = k; wanted <= kMoreWanted * k; wanted *= kMoreWanted) {
    found.clear();
    const bool by_graph =
        method == RouteMethod::hnsw && state.searches_graph() && state.nearest_by_graph(unit_query, wanted, found);
    if (!by_graph) state.vectors.nearest(unit_query, wanted, method == RouteMethod::exact, found);
    const size_t sorted = std::min(wanted, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(sorted), found.end(), better);
    best.clear();
    for (size_t i = 0; i < sorted && best.size() < k; ++i) {
      if (tags.shows(found[i].slot, hidden)) best.emplace_back(found[i].slot, found[i].score);
    }
    if (best.size() == k || wanted >= state.vectors.count()) return best;
  }
  std::vector<TagId> shown;
  for (TagId tag = 0; tag < state.vectors.size(); ++tag) {
    if (state.vectors.has(tag) && tags.shows(tag, hidden)) shown.push_back(tag);
  }
  found.clear();
  state.vectors.score(unit_query, shown, found);
  const size_t kept = std::min(k, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(), better);
  best.clear();
  for (size_t i = 0; i < kept; ++i) best.emplace_back(found[i].slot, found[i].score);
  return best;
}

size_t TagRouter::bytes() const {
  State* state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return 0;
  const std::shared_lock reading(state->mutex);
  size_t total = sizeof(State) + state->vectors.bytes() + state->sums.bytes() + state->noted.bytes() + state->stale.bytes() +
                 state->row.capacity() * sizeof(float) + (state->graph ? state->graph->bytes() : 0);
  for (size_t tag = 0; tag < state->sums.size(); ++tag) total += state->sums[tag] ? state->sums[tag]->bytes() : 0;
  return total;
}

}  // namespace memspan
