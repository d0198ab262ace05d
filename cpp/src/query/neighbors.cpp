#include "query/neighbors.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

struct Gift {
  float score = 0.0f;
  Slot from = kNoSlot;
};

}  // namespace

void boost_neighbors(std::vector<FusedHit>& hits, uint32_t reach, const UserColumns& user, const Admission& admission) {
  const Recency recency = user.recency();
  HashMap<Slot, Gift> gifts;
  for (const FusedHit& hit : hits) {
    const StringPool::Symbol session = user.attributes.session(hit.slot);
    const std::span<const Slot> turns = user.sessions.records(session);
    if (turns.empty() || hit.score <= 0.0f) continue;
    const size_t center = user.sessions.position(session, hit.slot, recency);
    const size_t first = center - std::min<size_t>(center, reach);
    const size_t last = std::min<size_t>(turns.size() - 1, center + reach);
    for (size_t i = first; i <= last; ++i) {
      if (i == center || !admission.admits(turns[i])) continue;
      const auto distance = static_cast<int>(i < center ? center - i : i - center);
      const float score = std::ldexp(hit.score, -distance);
      if (score <= 0.0f) continue;  // too small for a float
      Gift& gift = gifts[turns[i]];
      // Of equal gifts the one of the more recent giver is reported.
      if (score > gift.score || (score == gift.score && recency(hit.slot, gift.from))) gift = {score, hit.slot};
    }
  }

  const auto accept = [](FusedHit& hit, const Gift& gift) {
    hit.score += gift.score;
    hit.neighbor_boost = gift.score;
    hit.neighbor_of = gift.from;
  };
  for (FusedHit& hit : hits) {
    if (const auto found = gifts.find(hit.slot); found != gifts.end()) {
      accept(hit, found->second);
      gifts.erase(found);
    }
  }
  for (const auto& [slot, gift] : gifts) {
    hits.push_back({.slot = slot});
    accept(hits.back(), gift);
  }
}

}  // namespace memspan
