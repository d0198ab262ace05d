// UserIndex::consolidate: the rows of a user are laid out anew beside the old layout, which searches use until the new
// one takes its place.
//
// Locks: writers are kept out, slice by slice, while the rows are listed and while the new layout is brought up to what
// came meanwhile, so that a write that comes in between waits for one slice at most. Searches go on: no writer stands
// in front of them who waits for a slice, which on a busy machine can take long. They are kept out at the end alone, for
// O(1), after slices of what was removed meanwhile, whose rows are erased, and before slices of the postings of what was
// evicted. Nothing is locked while clusters are found and codes are written: rows do not move, and slots that are freed
// meanwhile are not used again before the end.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "index/cohesion_sample.hpp"
#include "index/consolidation.hpp"
#include "index/user_index.hpp"
#include "vectors/interruption.hpp"

namespace memspan {
namespace {

// Some tens of microseconds each.
constexpr Slot kSlice = 512;
constexpr size_t kCaughtUp = 256;
constexpr size_t kErased = 128;
constexpr size_t kPlaces = 8192;
constexpr size_t kSlicePostings = 32768;

using WritersOut = FairSharedMutex::WritersOut;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// To be called before the user's lock is taken. A thread of low priority that loses its core to others while it holds the
// lock keeps searches waiting for as long as the machine is busy. One that has just slept has a whole turn before it.
void begin_turn() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTurn{1};
  constexpr std::chrono::microseconds kRest{50};
  thread_local Clock::time_point rested;
  if (!in_background() || Clock::now() - rested < kTurn) return;
  std::this_thread::sleep_for(kRest);
  rested = Clock::now();
}

// Searches wait behind a door that closes, for whoever is in and then for this thread to get its core back. Where there is
// never a moment without them that has to be.
bool get_alone(std::unique_lock<WritersOut>& readers, int tries) {
  constexpr int kPatientTries = 16;
  if (tries < kPatientTries) return readers.try_lock();
  readers.lock();
  return true;
}

// A few rows from all over the user, to time a layout with.
std::vector<std::vector<float>> sample_queries(const LayoutInput& input) {
  constexpr size_t kSampled = 16;
  std::vector<std::vector<float>> queries;
  for (size_t i = 0; i < kSampled && !input.rows.empty(); ++i) {
    std::vector<float> query(input.dim());
    const float* const row = input.rows.floats(i * input.rows.size() / kSampled, query.data());
    std::copy_n(row, query.size(), query.data());
    queries.push_back(std::move(query));
  }
  return queries;
}

}  // namespace

double UserIndex::time_searches(std::span<const std::vector<float>> queries) const {
  VectorScratch scratch;
  const auto run = [&] {
    for (const std::vector<float>& query : queries) {
      begin_turn();
      const WritersOut reading(mutex_);
      VectorSearchStats stats;
      columns_.vectors.nearest(query.data(), 10, 0.995f, {}, scratch, stats);
    }
  };
  run();  // warms the caches
  const Stopwatch watch;
  run();
  return watch.seconds();
}

Cohesion UserIndex::measure_cohesion(const ClusterLayout* built) const {
  for (;;) {
    CohesionSample sample;
    if (built != nullptr) sample.leave_out_late();
    const ClusterLayout* layout = nullptr;
    uint64_t compactions = 0;
    bool more = true;
    for (bool begun = false; more; begun = true) {
      begin_turn();
      const WritersOut reading(mutex_);
      if (columns_.tags.size() == 0) return {};
      const ClusterLayout* const present = built != nullptr ? built : columns_.vectors.layout();
      if (begun && (present != layout || compactions != compactions_)) break;  // once more
      layout = present;
      compactions = compactions_;
      more = sample.step(layout, columns_.vectors, columns_.tags);
    }
    if (!more) return sample.measure();
  }
}

ConsolidationReport UserIndex::outlook() const {
  const Cohesion cohesion = measure_cohesion();
  const WritersOut reading(mutex_);
  return outlook_locked(cohesion);
}

ConsolidationReport UserIndex::outlook_locked(const Cohesion& cohesion) const {
  const VectorTable& vectors = columns_.vectors;
  ConsolidationReport report;
  report.users = 1;
  report.rows = vectors.count();
  report.cohesion_before = report.cohesion_after = cohesion.all;
  report.fragmentation_before = report.fragmentation_after = vectors.fragmentation();
  report.blocks_before = report.blocks_after = vectors.blocks();
  report.estimated_gain = estimate_reading(vectors, cohesion).gain();
  return report;
}

bool UserIndex::still_needs_consolidation() {
  begin_turn();
  const WritersOut alone(mutex_);
  return need_.keep_claim(columns_.vectors);
}

void UserIndex::postpone_consolidation() {
  const WritersOut alone(mutex_);
  need_.postpone(columns_.vectors);
}

void UserIndex::collect_layout_input(LayoutInput& input, RowStore& pinned) const {
  for (Slot first = 0;; first += kSlice) {
    check_interruption();
    begin_turn();
    const WritersOut reading(mutex_);
    // Before any row is taken: the last chunk may move between the slices. What comes later is not to be laid out.
    if (first == 0) pinned = columns_.vectors.pin_rows();
    const auto slots = static_cast<Slot>(pinned.size());
    collect_rows(columns_, pinned, first, std::min<Slot>(slots, first + kSlice), input);
    if (first + kSlice < slots) continue;
    collect_relations(columns_, input);
    return;
  }
}

BuiltLayout UserIndex::build_layout(LayoutInput& input, RowStore& pinned) const {
  if (input.base == nullptr) return plan_layout(input);
  BuiltLayout built = extend_layout(input);
  if (!outgrown(*built.layout, built.layout->size, 0)) return built;
  input = LayoutInput(shape_);
  collect_layout_input(input, pinned);
  return plan_layout(input);
}

double UserIndex::judge_cohesion(ClusterLayout& built, bool planned, double hoped) const {
  const double cohesion = measure_cohesion(&built).laid_out;
  built.cohesion_now = cohesion;
  if (planned) built.cohesion = cohesion >= hoped ? cohesion : 0.0;
  return cohesion;
}

template <typename End>
void UserIndex::end_layout(End end) {
  for (int tries = 0;; ++tries) {
    begin_turn();
    WritersOut alone(mutex_);
    if (!columns_.vectors.pinned()) return;
    if (!columns_.vectors.catch_up(kCaughtUp)) continue;
    std::unique_lock nobody(alone, std::defer_lock);
    if (!get_alone(nobody, tries)) continue;
    tries = 0;
    if (!columns_.vectors.erase_removed(kErased)) continue;
    return end();
  }
}

VectorTable::Retired UserIndex::put_in_place(BuiltLayout built, LayoutScope scope) {
  VectorTable::Places places;
  for (bool copied = false; !copied;) {
    begin_turn();
    const WritersOut reading(mutex_);
    copied = columns_.vectors.copy_places(places, kPlaces);
  }
  VectorTable::put_places(*built.layout, scope, places);
  const size_t slots = [this] {
    const WritersOut reading(mutex_);
    return columns_.vectors.slots();
  }();
  if (places.size() < slots) places.resize(slots, VectorTable::kNowhere);
  begin_turn();
  {
    const WritersOut alone(mutex_);
    columns_.vectors.offer_layout(std::move(built.layout), std::move(places), built.max_scale);
  }
  VectorTable::Retired retired;  // freed without the lock
  end_layout([&] {
    ++changes_;
    ++layouts_;
    retired = columns_.vectors.install_layout();
  });
  return retired;
}

void UserIndex::abandon_layout() {
  VectorTable::Retired retired;
  end_layout([&] { retired = columns_.vectors.abandon_layout(); });
}

ConsolidationReport UserIndex::consolidate(bool plan_anew) {
  const std::lock_guard one_at_a_time(consolidating_);
  return consolidate_alone(plan_anew, false);
}

std::optional<ConsolidationReport> UserIndex::consolidate_if_needed() {
  const std::lock_guard one_at_a_time(consolidating_);
  if (!still_needs_consolidation()) return std::nullopt;
  return consolidate_alone(false, true);
}

ConsolidationReport UserIndex::consolidate_alone(bool plan_anew, bool by_itself) {
  const Stopwatch watch;
  ConsolidationReport report;
  LayoutInput input(shape_);
  const Cohesion cohesion = measure_cohesion();
  double hoped = 0.0;
  LayoutScope scope = LayoutScope::all;
  const ClusterLayout* kept = nullptr;  // beside which young rows are laid out
  begin_turn();
  {
    const WritersOut alone(mutex_);
    const VectorTable& vectors = columns_.vectors;
    report = outlook_locked(cohesion);
    const Reading reading = estimate_reading(vectors, cohesion);
    if (by_itself) scope = reading.scope();
    report.estimated_gain = reading.gain(plan_anew, scope);
    // Blocks and centroids of a layout do not change, and only this function replaces it.
    if (scope == LayoutScope::young) {
      input.base = young_base(vectors);
      kept = vectors.layout();
    } else if (!plan_anew && !reading.anew) {
      input.base = vectors.layout();
    }
    if (reading.loose) hoped = (vectors.layout()->cohesion + cohesion.joined) / 2;
    columns_.vectors.begin_layout(scope);
  }
  try {
    RowStore pinned(0);
    collect_layout_input(input, pinned);
    const std::vector<std::vector<float>> queries = sample_queries(input);
    const double before = time_searches(queries);
    BuiltLayout built = build_layout(input, pinned);
    report.records = input.slots.size();
    report.clusters = built.layout->clusters + (kept ? kept->clusters : 0);
    report.blocks_after = built.layout->blocks.size() + (kept ? kept->blocks.size() : 0);
    report.clustered_anew = input.base == nullptr;
    report.clustered_by_tags = (kept ? kept : built.layout.get())->basis == ClusterBasis::tags;
    if (scope == LayoutScope::all) report.cohesion_after = judge_cohesion(*built.layout, input.base == nullptr, hoped);
    report.bytes_moved = built.layout->rows.bytes() + built.layout->centroids.bytes();
    const VectorTable::Retired retired = put_in_place(std::move(built), scope);
    {
      const WritersOut reading(mutex_);
      report.fragmentation_after = columns_.vectors.fragmentation();
    }
    const double after = time_searches(queries);
    if (after > 0.0) report.measured_gain = before / after;
  } catch (...) {
    abandon_layout();
    throw;
  }
  // What evictions left in the inverted lists.
  for (bool swept = false; !swept;) {
    begin_turn();
    const std::unique_lock writing(mutex_);
    swept = columns_.lexical.sweep_all(kSlicePostings, [&](Slot free) { columns_.ids.free(free); });
  }
  report.seconds = watch.seconds();
  return report;
}

std::vector<TagSpan> UserIndex::layout_map() const {
  const FairSharedMutex::WritersOut alone(mutex_);
  const ClusterLayout* const layout = columns_.vectors.layout();
  if (layout == nullptr) return {};
  std::vector<TagSpan> clusters(layout->clusters, {"", ~uint32_t{0}, 0, 0, 0});
  HashMap<uint64_t, uint32_t> records;  // by tag and cluster
  for (const Block& block : layout->blocks) {
    TagSpan& cluster = clusters[block.cluster];
    cluster.start = std::min(cluster.start, block.start);
    cluster.end = std::max(cluster.end, block.end);
    for (uint32_t p = block.start; p < block.end; ++p) {
      if (layout->rows.slot(p) == kNoSlot) continue;
      for (const TagId tag : columns_.tags.tags_of(layout->rows.slot(p))) ++records[uint64_t{tag} << 32 | block.cluster];
    }
  }
  std::vector<TagSpan> spans(columns_.tags.capacity());
  for (const auto& [key, count] : records) {
    const auto cluster = static_cast<uint32_t>(key);
    TagSpan& span = spans[key >> 32];
    if (count < span.records || (count == span.records && cluster > span.cluster)) continue;
    span = {std::string(columns_.tags.name(static_cast<TagId>(key >> 32))), clusters[cluster].start, clusters[cluster].end, cluster, count};
  }
  std::erase_if(spans, [](const TagSpan& span) { return span.records == 0; });
  std::sort(spans.begin(), spans.end(), [](const TagSpan& a, const TagSpan& b) { return a.tag < b.tag; });
  return spans;
}

}  // namespace memspan
