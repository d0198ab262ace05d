#include "query/scratch.hpp"

#include <memory>

#include "ranking/learned.hpp"

namespace memspan {

size_t SearchScratch::bytes() const {
  size_t total = prepared.bytes() + admission.bytes() + boosting.bytes() + hinted.bytes() + positions.bytes() +
                 hits.capacity() * sizeof(FusedHit) + newest.capacity() * sizeof(Slot);
  for (const auto& list : candidates) total += list.capacity() * sizeof(Candidate);
  return total;
}

void SearchScratch::trim() {
  prepared.query = nullptr;
  RankingScratch::of_thread().trim();
  if (bytes() <= kMostBytes) return;
  std::destroy_at(this);
  std::construct_at(this);
}

}  // namespace memspan
