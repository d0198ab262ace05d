#include <algorithm>

#include "base/prefetch.hpp"
#include "base/sort_best.hpp"
#include "query/views.hpp"
#include "vectors/vector_search.hpp"

namespace memspan {
namespace {

// Reading exact rows one by one, against reading all of them.
constexpr size_t kExactGatherShare = 4;

// A time range of many rows is probed if that seems to take up to so many times what reading them one by one would: what is
// estimated is for questions that are harder than most, and it gives up soon. (Behind a mask that is after whole blocks, and
// few rows are read before all bounds are made.)
constexpr size_t kSpansWorthTrying = 2;
constexpr size_t kManyInSpans = 2048;

// Records found whose columns are asked for before they are sorted.
constexpr size_t kFetched = 32;

VectorScratch& thread_scratch() {
  thread_local VectorScratch scratch;
  return scratch;
}

SemanticReading search_exact(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                             size_t depth, std::vector<Candidate>& best) {
  TopK top(depth, user.recency(), best);
  SemanticReading reading;
  RowScan search{prepared.unit_embedding.data(), depth, &thread_scratch(), &reading, &top};
  admission.settle();
  if (!admission.all() && admission.count() * kExactGatherShare < user.slots()) {
    user.vectors.gather(search, admission.slots());
    reading.scan = "exact gather";
  } else {
    user.vectors.scan({&search, 1}, admission.all() ? nullptr : &admission.bits());
    reading.scan = "exact scan";
  }
  top.sort();
  return reading;
}

}  // namespace

SemanticReading search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                                size_t depth, std::vector<Candidate>& best) {
  if (is_exact(*prepared.query)) {
    return search_exact(user, prepared, admission, depth, best);
  }
  VectorScratch& scratch = thread_scratch();
  SemanticReading reading;
  const float* const query = prepared.unit_embedding.data();
  const bool in_spans = !admission.intervals().empty();
  const bool everything = admission.all();
  const size_t gathering_cost = admission.count() * (in_spans && admission.count() >= kManyInSpans ? kSpansWorthTrying : 1);
  bool gather = !everything && gathering_cost <= user.vectors.probing_cost(admission.count(), depth, admission.intervals());
  if (!gather) {
    VectorFilter filter;
    if (!everything) filter.count = admission.count();
    filter.intervals = admission.intervals();
    filter.admitted = admission.mask();
    filter.also = admission.open_test();
    gather = !user.vectors.nearest(query, depth, prepared.query->recall, filter, scratch, reading);
    reading.scan = everything ? "probe" : "masked probe";
  }
  if (gather) {
    user.vectors.nearest_of(query, depth, admission.slots(), scratch, reading);
    reading.scan = "gather";
  }

  std::vector<Candidate>& found = scratch.rescored;
  // The first of what the hits will be asked for, while they are sorted.
  for (size_t i = 0; i < std::min(found.size(), kFetched); ++i) {
    user.ids.prefetch_place(found[i].slot);
    prefetch_line(&user.ats[found[i].slot]);
  }
  sort_best(found, depth, BetterCandidate(user.recency()));
  best.assign(found.begin(), found.end());
  return reading;
}

}  // namespace memspan
