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
    if (session == StringPool::kNone || hit.score <= 0.0f) continue;
    const auto give = [&](Slot turn, uint32_t distance) {
      const float score = std::ldexp(hit.score, -static_cast<int>(distance));
      if (score <= 0.0f || !admission.admits(turn)) return;  // too small for a float
      Gift& gift = gifts[turn];
      // Of equal gifts the one of the more recent giver is reported.
      if (score > gift.score || (score == gift.score && recency(hit.slot, gift.from))) gift = {score, hit.slot};
    };
    const Sessions::Turns& turns = user.sessions.turns(session);
    const auto center = user.sessions.find(session, hit.slot, recency);
    auto before = center;
    for (uint32_t distance = 1; distance <= reach && before != turns.begin(); ++distance) give(*--before, distance);
    auto after = std::next(center);
    for (uint32_t distance = 1; distance <= reach && after != turns.end(); ++distance) give(*after++, distance);
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
