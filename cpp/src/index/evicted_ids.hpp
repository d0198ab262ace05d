// The ids of records that went during a call to make room for others, without those that came again in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.hpp"

namespace memspan {

class EvictedIds {
 public:
  explicit EvictedIds(std::vector<std::string>& ids) : ids_(ids), known_(ids.size()) {}
  ~EvictedIds() {
    if (any_came_again_) std::erase_if(ids_, [](const std::string& id) { return id.empty(); });
  }
  EvictedIds(const EvictedIds&) = delete;
  EvictedIds& operator=(const EvictedIds&) = delete;

  // For evictions to append to. Until the end, an id is empty where its record came again.
  std::vector<std::string>& list() { return ids_; }

  // O(1), and what was appended since.
  void came_again(std::string_view id) {
    for (; known_ < ids_.size(); ++known_) places_[ids_[known_]] = known_;
    const auto place = places_.find(id);
    if (place == places_.end()) return;
    ids_[place->second].clear();
    places_.erase(place);
    any_came_again_ = true;
  }

 private:
  std::vector<std::string>& ids_;
  size_t known_;  // that places_ has
  StringMap<size_t> places_;
  bool any_came_again_ = false;
};

}  // namespace memspan
