#include <algorithm>
#include <array>
#include <cmath>

#include "query/score_accumulator.hpp"
#include "query/views.hpp"

namespace memspan {
namespace {

std::vector<Candidate> list_newest(const UserColumns& user, size_t count, const Admission& admission) {
  std::vector<Candidate> newest;
  const Timeline::Entries& entries = user.timeline.entries();
  for (auto entry = entries.end(); entry != entries.begin() && newest.size() < count;) {
    const Slot slot = (--entry)->slot;
    if (admission.admits(slot)) newest.push_back({0.0f, slot});
  }
  return newest;
}

}  // namespace

BoostingTags find_boosting_tags(const UserColumns& user, const PreparedQuery& prepared) {
  const Query& query = *prepared.query;
  BoostingTags boosting;
  if (query.route > 0) {
    const RouteMethod method = query.exact ? RouteMethod::exact : RouteMethod::automatic;
    boosting.routed = user.router.route(prepared.unit_embedding.data(), query.route, method, user.tags, user.vectors);
  }

  std::vector<std::pair<TagId, float>> seeds;
  for (const std::string& name : prepared.tags) {
    if (const auto tag = user.tags.find(name)) seeds.emplace_back(*tag, 1.0f);
  }
  for (const auto& [tag, cosine] : boosting.routed) {
    if (cosine > 0.0f) seeds.emplace_back(tag, cosine);
  }

  HashMap<TagId, float> weights;
  for (const auto& [seed, seed_weight] : seeds) {
    for (const auto& [tag, distance] : user.tags.graph().descend(std::array{seed}, query.tag_depth)) {
      float& weight = weights[tag];
      weight = std::max(weight, std::ldexp(seed_weight, -static_cast<int>(distance)));
    }
  }
  boosting.weights.assign(weights.begin(), weights.end());
  std::sort(boosting.weights.begin(), boosting.weights.end());
  return boosting;
}

std::vector<Candidate> search_symbolic(const UserColumns& user, const PreparedQuery& prepared,
                                       const BoostingTags& boosting, const Admission& admission) {
  const Query& query = *prepared.query;
  if (query.tags.empty() && query.route == 0) return list_newest(user, prepared.depth, admission);
  ScoreAccumulator scores(user.slots());
  for (const auto& [tag, weight] : boosting.weights) {
    if (weight <= 0.0f) continue;
    for (Slot slot : user.tags.records(tag)) scores.add(slot, weight);
  }
  TopK best(prepared.depth, user.recency());
  scores.offer_all(best, [&](Slot slot) { return admission.admits(slot); });
  return best.take();
}

}  // namespace memspan
