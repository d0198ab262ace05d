// One record's evidence as the numbers that the learned ranking adds up (memspan/ranking.hpp).
#pragma once

#include <span>

#include "index/user_columns.hpp"
#include "query/boosting_tags.hpp"
#include "query/fusion.hpp"
#include "ranking/evidence.hpp"
#include "ranking/pool.hpp"

namespace memspan {

struct FeatureSource {
  const UserColumns& user;
  const PreparedQuery& prepared;
  const CandidateLists& finds;
  const RankingPool& pool;
  const RankingEvidence& evidence;
};

// O(features + hints).
void fill_features(const FeatureSource& source, RankingPool::Position at, FeatureRow& row);

}  // namespace memspan
