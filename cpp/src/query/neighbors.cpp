#include "query/neighbors.hpp"

#include <algorithm>
#include <cmath>

namespace memspan {

void boost_neighbors(std::vector<FusedHit>& hits, uint32_t reach, const UserColumns& user, const Admission& admission,
                     SlotTable& positions) {
  const Recency recency = user.recency();
  const size_t givers = hits.size();
  positions.start(givers * (1 + std::min<size_t>(2 * reach, 2)), user.slots());
  for (size_t i = 0; i < givers; ++i) positions.find_or_add(hits[i].slot, static_cast<uint32_t>(i));

  // A gift waits in the taker's own fields until every hit has given: scores must not grow by gifts of gifts.
  const auto give = [&](const FusedHit giver, Slot taker, int distance) {
    const float gift = std::ldexp(giver.score, -distance);
    if (gift <= 0.0f) return;  // too small for a float
    const auto last = static_cast<uint32_t>(hits.size());
    const uint32_t position = positions.find_or_add(taker, last);
    if (position == last) hits.push_back({.slot = taker});
    FusedHit& hit = hits[position];
    // Of equal gifts the one of the more recent giver is reported.
    if (gift > hit.neighbor_boost || (gift == hit.neighbor_boost && recency(giver.slot, hit.neighbor_of))) {
      hit.neighbor_boost = gift;
      hit.neighbor_of = giver.slot;
    }
  };
  for (size_t i = 0; i < givers; ++i) {
    const FusedHit giver = hits[i];
    if (giver.score <= 0.0f) continue;
    const StringPool::Symbol session = user.attributes.session(giver.slot);
    if (session == StringPool::kNone) continue;
    const auto lend = [&](Slot turn, uint32_t distance) {
      if (admission.admits(turn)) give(giver, turn, static_cast<int>(distance));
    };
    const Sessions::Turns& turns = user.sessions.turns(session);
    const auto center = user.sessions.find(session, giver.slot, recency);
    if (center == turns.end()) continue;  // retired
    auto before = center;
    for (uint32_t distance = 1; distance <= reach && before != turns.begin(); ++distance) lend(*--before, distance);
    auto after = std::next(center);
    for (uint32_t distance = 1; distance <= reach && after != turns.end(); ++distance) lend(*after++, distance);
  }
  for (FusedHit& hit : hits) hit.score += hit.neighbor_boost;
}

}  // namespace memspan
