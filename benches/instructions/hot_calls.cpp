// Makes every hot call a fixed number of times inside `measured_call`, so that a tool can count the instructions of each
// apart. Prints what it was built with, then one line for each call, in that order: its name and how many times it was
// made. Data and queries come from a generator of our own: the same with every standard library.
#include <gnu/libc-version.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "memspan/index.hpp"
#include "memspan/quotas.hpp"
#include "memspan/ranking_net.hpp"
#include "ranking/late_scores.hpp"
#include "vectors/max_similarity.hpp"

namespace memspan {
namespace {

constexpr uint32_t kDim = 384;
constexpr int kRecords = 10'000;
constexpr int kQueries = 30;
constexpr int kWrites = 100;
constexpr int kTopics = 64;
constexpr int kWords = 25;
constexpr Micros kHour = 3'600'000'000;
const std::string kUser = "ana";

class Random {  // xorshift64*
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>((next() >> 32) * limit >> 32); }
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

 private:
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  uint64_t state_;
};

struct OwnedRecord {
  std::string id;
  std::string text;
  std::vector<std::string> tags;
  std::vector<std::string_view> tag_views;
  std::vector<float> embedding;
  Micros at = 0;
};

// Clustered vectors, skewed words, three tags a record, an hour between records.
class World {
 public:
  World() : random_(7), index(IndexConfig{.dim = kDim, .analyzer = AnalyzerKind::simple}) {
    for (float& value : topics_) value = random_.unit() - 0.5f;
    for (int i = 0; i < kRecords + kWrites; ++i) records.push_back(record(i));
    add(kUser, 0, kRecords);
    for (int i = 0; i < kQueries; ++i) {
      vectors.push_back(vector(static_cast<int>(random_.below(kTopics))));
      texts.push_back(words(5));
    }
  }

  std::vector<RecordInput> inputs(const std::string& user, int first, int count) const {
    std::vector<RecordInput> result;
    for (int i = first; i < first + count; ++i) {
      const OwnedRecord& owned = records[static_cast<size_t>(i)];
      RecordInput input;
      input.user = user;
      input.id = owned.id;
      input.at = owned.at;
      input.text = owned.text;
      input.tags = owned.tag_views;
      input.embedding = owned.embedding;
      result.push_back(input);
    }
    return result;
  }

  void add(const std::string& user, int first, int count) { index.add(inputs(user, first, count)); }

  Query dense(int i) const {
    Query query;
    query.user = kUser;
    query.embedding = vectors[static_cast<size_t>(i)];
    return query;
  }

  // Five per cent of the records' time.
  static Interval range(int i) { return {i * 310 * kHour, (i * 310 + kRecords / 20) * kHour}; }

 private:
  Random random_;
  float topics_[kTopics * kDim];

 public:
  Index index;
  std::vector<OwnedRecord> records;
  std::vector<std::vector<float>> vectors;
  std::vector<std::string> texts;
  std::vector<Query> queries;
  SearchResult found;

 private:
  std::vector<float> vector(int topic) {
    std::vector<float> result(kDim);
    for (uint32_t j = 0; j < kDim; ++j) {
      result[j] = topics_[static_cast<uint32_t>(topic) * kDim + j] + 0.5f * (random_.unit() + random_.unit() - 1.0f);
    }
    return result;
  }

  std::string words(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const float skewed = random_.unit() * random_.unit() * random_.unit();
      text += 'w' + std::to_string(static_cast<int>(skewed * 6000.0f)) + ' ';
    }
    return text;
  }

  OwnedRecord record(int i) {
    const int topic = i / 8 * 37 % kTopics;  // eight turns about one thing
    OwnedRecord owned{"m" + std::to_string(i), words(kWords), {}, {}, vector(topic), i * kHour};
    owned.tags = {"topic_" + std::to_string(topic), "area_" + std::to_string(topic % 8), "leaf_" + std::to_string(i % 97)};
    owned.tag_views.assign(owned.tags.begin(), owned.tags.end());
    return owned;
  }
};

void search(World& world) {
  for (const Query& query : world.queries) world.index.search(query, world.found);
}

void search_many(World& world) { world.index.search_many(world.queries, 1); }

// As Memory.search looks at the best of a ranking.
class Look {
 public:
  Look() {
    Random random(11);
    for (int text = 0; text < kTexts; ++text) {
      std::vector<int8_t> rows(static_cast<size_t>((8 + text) * kTokenBytes));
      for (int8_t& value : rows) value = static_cast<int8_t>(static_cast<int>(random.below(256)) - 128);
      texts_.emplace_back(rows, kTokenBytes);
    }
    question_.resize(10 * kTokenBytes);
    features_.resize(kTexts * kRankFeatures);
    weights_.resize(kRankFeatures + kLateFeatures);
    for (auto* values : {&question_, &features_, &weights_}) {
      for (float& value : *values) value = random.unit() - 0.5f;
    }
  }

  void operator()() const {
    MaxSimilarity similarity(question_, kTokenBytes);
    std::vector<float> similarities;
    for (const TokenBlocks& text : texts_) similarities.push_back(similarity(text));
    const std::vector<double> scores(kTexts);
    late_added(scores, features_, similarities, {weights_, 0.5, 0.77});
  }

 private:
  static constexpr int kTexts = 64;
  static constexpr int kTokenBytes = 96;

  std::vector<TokenBlocks> texts_;
  std::vector<float> question_;
  std::vector<float> features_;
  std::vector<float> weights_;
};

void look_at_tokens(World&) {
  static const Look look;
  look();
}

void locate(World& world) {
  for (int i = 0; i < kWrites; ++i) world.index.locate(kUser, world.records[static_cast<size_t>(i) * 17].id);
}

void add_singly(World& world) {
  for (int i = 0; i < kWrites; ++i) world.add(kUser, kRecords + i, 1);
}

void replace(World& world) {
  for (int i = 0; i < kWrites; ++i) world.add(kUser, i * 31, 1);
}

void fill_up(World& world) {
  Quotas quotas;
  quotas.capacities[static_cast<size_t>(Kind::episodic)] = kRecords;
  world.index.set_quotas(kUser, quotas);
  world.add(kUser, kRecords, 1);  // makes the order
}

void add_at_capacity(World& world) {
  for (int i = 1; i < kWrites; ++i) world.add(kUser, kRecords + i, 1);
}

void remove(World& world) {
  for (int i = 0; i < kWrites; ++i) {
    const std::string_view id = world.records[static_cast<size_t>(kRecords + i)].id;
    world.index.remove(kUser, std::span(&id, 1));
  }
}

void add_many(World& world) { world.add("bob", 0, 1000); }

void add_small_users(World& world) {
  for (int i = 0; i < kWrites; ++i) world.add("small" + std::to_string(i), i, 1);
}

void consolidate(World& world) { world.index.consolidate(kUser, true); }

}  // namespace

// Looked for by name; what happens outside is not counted.
extern "C" __attribute__((noinline, noclone)) void measured_call(World& world, void (*call)(World&)) { call(world); }

namespace {

void measure(World& world, const char* name, int times, void (*call)(World&)) {
  measured_call(world, call);
  std::printf("%s %d\n", name, times);
}

// Searches are measured on their second round: memory is there, nothing is built on first use.
template <typename Change>
void measure_search(World& world, const char* name, Change change, void (*call)(World&) = search) {
  world.queries.clear();
  for (int i = 0; i < kQueries; ++i) {
    Query query = world.dense(i);
    change(query, i);
    world.queries.push_back(query);
  }
  call(world);
  measure(world, name, kQueries, call);
}

std::shared_ptr<const RankingNet> some_net() {
  Random random(3);
  const auto some = [&](size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = random.unit() - 0.5f;
    return values;
  };
  const std::vector<float> scale(kRankFeatures, 1.0f);
  return std::make_shared<RankingNet>(some(kRankFeatures), scale, some(kRankFeatures * RankingNet::kUnits),
                                      some(RankingNet::kUnits), some(RankingNet::kUnits));
}

void run(World& world) {
  measure(world, "consolidate", 1, consolidate);
  measure_search(world, "dense", [](Query&, int) {});
  measure_search(world, "dense_exact", [](Query& query, int) { query.exact = true; });
  measure_search(world, "dense_range", [](Query& query, int i) { query.between = {{World::range(i)}}; });
  measure_search(world, "dense_tag", [](Query& query, int i) { query.require_tags = {"topic_" + std::to_string(i)}; });
  measure_search(world, "words", [&](Query& query, int i) {
    query.embedding.clear();
    query.text = world.texts[static_cast<size_t>(i)];
  });
  measure_search(world, "fused_range", [&](Query& query, int i) {
    query.text = world.texts[static_cast<size_t>(i)];
    query.between = {{World::range(i)}};
  });
  const auto ranking = std::make_shared<Ranking>();
  ranking->weights.fill(0.5f);
  const auto learned = [&](Query& query, int i) {
    query.text = world.texts[static_cast<size_t>(i)];
    query.fusion = Fusion::learned;
    query.ranking = ranking;
    query.depth = 128;
  };
  measure_search(world, "learned", learned);
  ranking->net = some_net();
  measure_search(world, "learned_net", learned);
  look_at_tokens(world);  // makes what it looks at
  measure(world, "look_at_tokens", 1, look_at_tokens);
  measure_search(world, "latest", [](Query& query, int i) {
    query.embedding.clear();
    query.between = {{World::range(i)}};
    query.views = {{View::symbolic}};
    query.k = query.depth = 20;
  });
  measure_search(world, "dense_many", [](Query&, int) {}, search_many);
  measure(world, "locate", kWrites, locate);
  measure(world, "add", kWrites, add_singly);
  measure(world, "replace", kWrites, replace);
  measure(world, "remove", kWrites, remove);
  measure(world, "add_many", 1000, add_many);
  fill_up(world);
  measure(world, "add_at_capacity", kWrites - 1, add_at_capacity);
  measure(world, "add_small_users", kWrites, add_small_users);
}

}  // namespace
}  // namespace memspan

int main() {
#ifdef __clang__
  const char* compiler = "clang";
#else
  const char* compiler = "gcc";
#endif
  std::printf("%s %s, glibc %s\n", compiler, __VERSION__, gnu_get_libc_version());
  static memspan::World world;
  memspan::run(world);
}
