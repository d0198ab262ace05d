// Records that own their text, and short ways to store and search them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memspan/index.hpp"

// Records and queries are written with the few fields that a test is about.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace memspan::test {

inline constexpr Micros kSecond = 1'000'000;

struct Item {
  std::string id;
  Micros at = 0;
  std::string text;
  std::vector<std::string> tags;
  std::vector<float> embedding;
  std::string session;
  std::string metadata;
  Kind kind = Kind::episodic;
  Micros until = kForever;
  Micros recorded_at = 0;
  std::string speaker;
  std::string user = "ana";
  float importance = kNotJudged;
  bool pinned = false;
  Micros retired_at = kForever;
  Micros expires_at = kForever;
};

inline void add(Index& index, std::span<const Item> items) {
  std::vector<std::vector<std::string_view>> tags(items.size());
  std::vector<RecordInput> inputs(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    tags[i].assign(item.tags.begin(), item.tags.end());
    inputs[i] = {.user = item.user,
                 .id = item.id,
                 .at = item.at,
                 .until = item.until,
                 .recorded_at = item.recorded_at,
                 .kind = item.kind,
                 .text = item.text,
                 .session = item.session,
                 .speaker = item.speaker,
                 .metadata = item.metadata,
                 .tags = tags[i],
                 .embedding = item.embedding,
                 .importance = item.importance,
                 .pinned = item.pinned,
                 .retired_at = item.retired_at,
                 .expires_at = item.expires_at};
  }
  index.add(inputs);
}

inline void add(Index& index, std::initializer_list<Item> items) {
  add(index, std::span<const Item>(items.begin(), items.size()));
}

inline size_t remove(Index& index, std::string_view user, std::initializer_list<std::string_view> ids) {
  return index.remove(user, std::span<const std::string_view>(ids.begin(), ids.size()));
}

inline std::vector<std::string> ids_of(const SearchResult& result) {
  std::vector<std::string> ids;
  for (const Hit& hit : result.hits) ids.push_back(hit.id);
  return ids;
}

inline std::vector<std::string> search_ids(const Index& index, const Query& query) {
  return ids_of(index.search(query));
}

inline std::vector<float> random_vector(size_t dim, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dim);
  for (float& value : vector) value = normal(random);
  return vector;
}

inline bool same_hits(const SearchResult& a, const SearchResult& b) {
  return std::equal(a.hits.begin(), a.hits.end(), b.hits.begin(), b.hits.end(), [](const Hit& x, const Hit& y) {
    bool same = x.id == y.id && x.at == y.at && x.score == y.score;
    for (size_t v = 0; v < kViewCount; ++v) {
      same = same && x.views[v].rank == y.views[v].rank && x.views[v].score == y.views[v].score;
    }
    return same;
  });
}

using Ids = std::vector<std::string>;

}  // namespace memspan::test

// Boost.Test prints what it compares.
namespace std {
inline ostream& boost_test_print_type(ostream& out, const vector<string>& values) {
  for (const string& value : values) out << value << ' ';
  return out;
}
}  // namespace std
