#include <algorithm>

#include "query/views.hpp"

namespace memspan {
namespace {

// Rows that lie apart cost more to read than rows in a sequence: each begins with a miss.
constexpr size_t kGatherCost = 2;
// Reading exact rows one by one, against reading all of them.
constexpr size_t kExactGatherShare = 4;

VectorScratch& thread_scratch() {
  thread_local VectorScratch scratch;
  return scratch;
}

void list_admitted(const Admission& admission, std::vector<Slot>& slots) {
  slots.clear();
  admission.bits.for_each([&](Slot slot) { slots.push_back(slot); });
}

void search_exact(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                  SemanticCandidates& result) {
  TopK best(prepared.depth, user.recency());
  const float* const query = prepared.unit_embedding.data();
  if (!admission.all && admission.count * kExactGatherShare < user.slots()) {
    std::vector<Slot>& slots = thread_scratch().slots;
    list_admitted(admission, slots);
    user.vectors.gather(query, slots, best);
    result.scan = "exact gather";
  } else {
    user.vectors.scan(query, admission.all ? nullptr : &admission.bits, best);
    result.scan = "exact scan";
  }
  result.best = best.take();
}

}  // namespace

SemanticCandidates search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission) {
  SemanticCandidates result;
  if (prepared.query->exact || prepared.query->recall >= 1.0f) {
    search_exact(user, prepared, admission, result);
    return result;
  }
  VectorScratch& scratch = thread_scratch();
  const float* const query = prepared.unit_embedding.data();
  const size_t k = prepared.depth;
  if (!admission.all &&
      admission.count * kGatherCost <= user.vectors.estimate_rows(admission.count, prepared.intervals.has_value())) {
    list_admitted(admission, scratch.slots);
    user.vectors.nearest_of(query, k, scratch.slots, scratch, result.stats);
    result.scan = "gather";
  } else {
    VectorFilter filter;
    if (!admission.all) filter.admitted = &admission.bits;
    if (prepared.intervals) filter.intervals = *prepared.intervals;
    user.vectors.nearest(query, k, prepared.query->recall, filter, scratch, result.stats);
    result.scan = admission.all ? "probe" : "masked probe";
  }

  const BetterCandidate better(user.recency());
  std::vector<Candidate>& found = scratch.rescored;
  const auto kept = static_cast<std::ptrdiff_t>(std::min(k, found.size()));
  std::partial_sort(found.begin(), found.begin() + kept, found.end(), better);
  result.best.assign(found.begin(), found.begin() + kept);
  return result;
}

}  // namespace memspan
