// One user's columns, filled without an index, and what the stages of the learned ranking make of a question.
#pragma once

#include <string>
#include <vector>

#include "index/user_columns.hpp"
#include "query/scratch.hpp"
#include "query/views.hpp"
#include "ranking/evidence.hpp"
#include "ranking/features.hpp"
#include "ranking/pool.hpp"
#include "records.hpp"

namespace memspan::test {

struct RankingUser {
  explicit RankingUser(size_t dim)
      : config{.dim = static_cast<uint32_t>(dim), .analyzer = AnalyzerKind::simple}, user(dim) {}

  IndexConfig config;
  UserColumns user;
  Admission admission;
  BoostingTags boosting;
  CandidateLists finds;
  Query query{.user = "ana", .fusion = Fusion::learned};
  PreparedQuery prepared;
  RankingPool pool;
  RankingEvidence evidence;

  Slot add(const Item& item) {
    const Slot slot = user.ids.add(item.id, IdTable::hash(item.id));
    RecordInput record;
    record.text = item.text;
    record.session = item.session;
    record.speaker = item.speaker;
    record.kind = item.kind;
    user.ats.push_back(item.at);
    if (slot >= user.live.size()) user.live.resize(std::max<size_t>(64, 2 * size_t{slot}));
    user.live.set(slot);
    user.attributes.add(slot, record, {});
    user.sessions.insert(user.attributes.session(slot), slot, user.recency());
    user.timeline.insert(slot, user.recency());
    user.tags.add_record(slot, item.tags);
    TokenBuffer tokens;
    Analyzer(config.analyzer).analyze(item.text, tokens);
    user.lexical.add(slot, tokens);
    user.vectors.add(slot, item.at, item.embedding);
    return slot;
  }

  // Runs the views and gathers pool and evidence, with `query` as it then is.
  void ask() {
    if (!query.ranking) query.ranking = std::make_shared<Ranking>();
    prepare(query, config, Analyzer(config.analyzer), prepared);
    admission.admit(user, prepared);
    boosting.clear();
    for (auto& list : finds) list.clear();
    if (prepared.has(View::semantic)) search_semantic(user, prepared, admission, prepared.depth, finds[0]);
    if (prepared.has(View::lexical)) search_lexical(user, prepared, config, admission, finds[1]);
    if (prepared.has(View::symbolic)) {
      boosting.find(user, prepared);
      search_symbolic(user, prepared, boosting, admission, finds[2]);
    }
    pool.gather(finds, {}, user, admission);
    evidence.gather(user, prepared, config, admission, finds, pool);
  }

  const RankingEvidence::Record& record(Slot slot) const { return evidence.record(pool.find(slot)); }
  float feature(Slot slot, RankFeature feature) const {
    FeatureRow row;
    fill_features({user, prepared, finds, pool, evidence}, pool.find(slot), row);
    return row[static_cast<size_t>(feature)];
  }
};

}  // namespace memspan::test
