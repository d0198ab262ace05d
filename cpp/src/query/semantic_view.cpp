#include "query/views.hpp"

namespace memspan {
namespace {

// Reading single rows wastes part of each fetched page and of the prefetcher's work; below this share of the rows it is
// still cheaper than reading all of them.
constexpr size_t kGatherShare = 4;

}  // namespace

SemanticReading search_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                                std::vector<Candidate>& best) {
  TopK top(prepared.depth, user.recency(), best);
  SemanticReading reading;
  const float* query = prepared.unit_embedding.data();
  if (admission.all()) {
    user.vectors.scan(query, top);
    reading.scan = "full";
  } else if (admission.count() * kGatherShare < user.slots()) {
    user.vectors.gather(query, admission.slots(), top);
    reading.scan = "gather";
  } else {
    user.vectors.scan_masked(query, admission.bits(), top);
    reading.scan = "masked";
  }
  top.sort();
  return reading;
}

}  // namespace memspan
