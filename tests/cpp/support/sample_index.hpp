// An index with something in every structure, for tests of snapshots.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "records.hpp"

namespace memspan::test {

inline std::unique_ptr<Index> sample_index(int records, size_t dim) {
  auto index = std::make_unique<Index>(IndexConfig{.dim = static_cast<uint32_t>(dim), .k1 = 1.5, .b = 0.5});
  std::mt19937 random(7);
  std::vector<Item> items;
  for (int i = 0; i < records; ++i) {
    Item item{.id = "r" + std::to_string(i), .at = static_cast<Micros>(random() % 30), .text = "opera word" + std::to_string(random() % 9)};
    if (i % 3 == 0) item.text += i % 2 == 0 ? "?" : "? no";
    item.tags = {"t" + std::to_string(random() % 5), "sky"};
    if (i % 3 != 0) item.embedding = random_vector(dim, random);
    if (i % 4 != 0) item.session = "s" + std::to_string(i % 2);
    item.speaker = i % 2 == 0 ? "Ana" : "";
    item.metadata = i % 2 == 0 ? R"({"n": )" + std::to_string(i) + R"(, "cost": 0.1, "list": ["x", null]})" : "";
    item.kind = static_cast<Kind>(random() % kKindCount);
    if (i % 5 == 0) item.until = item.at + 7;
    item.recorded_at = i;
    if (i % 6 == 0) item.importance = 0.125f * static_cast<float>(i % 8);
    item.pinned = i % 10 == 2;
    if (i % 12 == 4) item.retired_at = kMaxTime - i;
    if (i % 12 == 5) item.expires_at = kMaxTime - i;
    item.user = i % 4 == 3 ? "bob" : "ana";
    items.push_back(item);
  }
  add(*index, items);
  remove(*index, "ana", {"r1"});
  index->relate("ana", "sky", "t1");
  index->relate("ana", "t1", "t2");
  index->relate("ana", "t0", "only_related");
  std::vector<float> own(dim, 0.0f);
  own[0] = 2.0f;
  index->set_tag_embedding("ana", "only_embedded", own);
  return index;
}

// Queries that between them read every structure.
inline std::vector<Query> sample_queries(size_t dim) {
  std::mt19937 random(8);
  const std::vector<float> vector = random_vector(dim, random);
  std::vector<Query> queries;
  for (const char* user : {"ana", "bob"}) {
    queries.push_back({.user = user, .k = 1000});
    queries.push_back({.user = user, .text = "opera word3", .neighbors = 2});
    queries.push_back({.user = user, .embedding = vector, .route = 3, .tag_depth = 2});
    queries.push_back({.user = user, .text = "word1", .embedding = vector, .tags = {"sky"}, .fusion = Fusion::weighted});
    queries.push_back({.user = user, .tags = {"t1"}, .between = {{{3, 9}, {12, 25}}}, .require_tags = {"sky"}});
    queries.push_back({.user = user, .kinds = {{Kind::vault, Kind::semantic}}, .where = R"({"cost": 0.1})", .valid_at = 20});
    queries.push_back({.user = user, .text = "opera word3", .embedding = vector, .fusion = Fusion::learned});
    queries.back().explain = true;
    auto ranking = std::make_shared<Ranking>();
    ranking->weights.fill(0.5f);
    ranking->hints = {{3, 9}};
    queries.back().ranking = ranking;
    queries.push_back({.user = user, .where = R"({"n": {"$exists": false}})", .as_of = 15, .explain = true});
  }
  return queries;
}

}  // namespace memspan::test
