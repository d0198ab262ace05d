// One user's records with the lock that guards them.
//
// Thread safety: every member function takes the lock itself. Searches share it, writes have it alone. What can fail
// is checked before the lock is taken for writing, so that a refused call changes nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fair_shared_mutex.hpp"
#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "memspan/query.hpp"
#include "memspan/record.hpp"
#include "memspan/stats.hpp"
#include "query/scratch.hpp"

namespace memspan {

class UserIndex {
 public:
  explicit UserIndex(size_t dim) : columns_(dim) {}

  // A checked record with what was parsed of it.
  struct NewRecord {
    RecordInput input;
    std::vector<std::string> tags;  // normalised, distinct
    json::object metadata;
  };
  // Inserts or replaces. Ids must be distinct within the batch. Moves from `records`.
  void add(std::span<NewRecord> records, const Analyzer& analyzer);
  size_t remove(std::span<const std::string_view> ids);

  // Runs `scratch.prepared`.
  void search(const IndexConfig& config, SearchScratch& scratch, SearchResult& out) const;
  std::optional<Micros> locate(std::string_view id) const;

  // Tag names are normalised already.
  bool relate(std::string_view parent, std::string_view child);
  bool unrelate(std::string_view parent, std::string_view child);
  std::vector<std::string> expand(std::span<const std::string> tags, uint32_t depth) const;
  std::vector<std::pair<std::string, float>> route(std::span<const float> unit_query, uint32_t k, RouteMethod method) const;
  std::vector<TagInfo> tags() const;
  void set_tag_embedding(std::string_view tag, std::vector<float> unit_vector);
  bool rename_tag(std::string_view old_name, std::string_view new_name);
  bool merge_tags(std::span<const std::string> tags, std::string_view into);
  size_t drop_tags(std::span<const std::string> tags);

  size_t size() const;
  bool empty() const;  // neither records nor tags
  std::vector<std::string> ids() const;
  UserStats stats() const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  TagDag::Changed tag_changed();
  Slot insert(NewRecord& record, const Analyzer& analyzer, TokenBuffer& tokens);
  void erase(Slot slot);
  void compact_if_worthwhile();

  mutable FairSharedMutex mutex_;
  UserColumns columns_;
};

}  // namespace memspan
