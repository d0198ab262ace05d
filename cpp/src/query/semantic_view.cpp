#include "query/views.hpp"

namespace memspan {
namespace {

// Reading single rows wastes part of each fetched page and of the prefetcher's work; below this share of the rows it is
// still cheaper than reading all of them.
constexpr size_t kGatherShare = 4;

}  // namespace

SemanticCandidates search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission) {
  TopK best(prepared.depth, user.recency());
  SemanticCandidates result;
  const float* query = prepared.unit_embedding.data();
  if (admission.all) {
    user.vectors.scan(query, best);
    result.scan = "full";
  } else if (admission.count * kGatherShare < user.slots()) {
    std::vector<Slot> slots;
    slots.reserve(admission.count);
    admission.bits.for_each([&](Slot slot) { slots.push_back(slot); });
    user.vectors.gather(query, slots, best);
    result.scan = "gather";
  } else {
    user.vectors.scan_masked(query, admission.bits, best);
    result.scan = "masked";
  }
  result.best = best.take();
  return result;
}

}  // namespace memspan
