#include "query/boosting_tags.hpp"

#include <algorithm>
#include <cmath>

namespace memspan {

void BoostingTags::find(const UserColumns& user, const PreparedQuery& prepared) {
  const Query& query = *prepared.query;
  clear();
  if (query.route > 0) {
    const RouteMethod method = query.exact ? RouteMethod::exact : RouteMethod::automatic;
    TagDag::Hidden hidden;
    if (user.standing.retired_count() > 0 && !query.as_of && !query.valid_at) {
      hidden = [&standing = user.standing](Slot slot) { return standing.retired(slot); };
    }
    routed = user.router.route(prepared.unit_embedding.data(), query.route, method, user.tags, user.vectors, hidden);
  }
  seen_.assign(user.tags.capacity(), false);
  for (const std::string& name : prepared.tags) {
    if (const auto tag = user.tags.find(name)) expand(user, *tag, 1.0f, query.tag_depth);
  }
  for (const auto& [tag, cosine] : routed) {
    if (cosine > 0.0f) expand(user, tag, cosine, query.tag_depth);
  }
  std::sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  const auto same_tag = [](const auto& a, const auto& b) { return a.first == b.first; };
  weights.erase(std::unique(weights.begin(), weights.end(), same_tag), weights.end());
  // A record's score is added up in this order: by the numbers of tags, which loading changes, equal ones would round
  // differently.
  std::sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

// Breadth first, so that a tag is reached on a shortest path.
void BoostingTags::expand(const UserColumns& user, TagId seed, float weight, uint32_t depth) {
  reached_.assign(1, {seed, 0});
  seen_.set(seed);
  for (size_t i = 0; i < reached_.size(); ++i) {
    const auto [tag, distance] = reached_[i];
    weights.emplace_back(tag, std::ldexp(weight, -static_cast<int>(distance)));
    if (distance == depth) continue;
    for (TagId child : user.tags.graph().children(tag)) {
      if (seen_.test(child)) continue;
      seen_.set(child);
      reached_.emplace_back(child, distance + 1);
    }
  }
  for (const auto& [tag, distance] : reached_) seen_.reset(tag);
}

size_t BoostingTags::bytes() const {
  return (routed.capacity() + weights.capacity()) * sizeof(weights[0]) + reached_.capacity() * sizeof(reached_[0]) +
         seen_.bytes();
}

}  // namespace memspan
