// The hash maps of the core: open addressing, with string keys that can be looked up by view.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/huge_pages.hpp"

namespace memspan {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const noexcept { return boost::hash<std::string_view>{}(text); }
};

struct StringEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
};

template <typename Value>
using StringMap = boost::unordered_flat_map<std::string, Value, StringHash, StringEqual>;

using StringSet = boost::unordered_flat_set<std::string, StringHash, StringEqual>;

template <typename Key, typename Value>
using HashMap = boost::unordered_flat_map<Key, Value>;

// For work that is soon over (base/huge_pages.hpp).
template <typename Key, typename Value>
using PassingHashMap = boost::unordered_flat_map<Key, Value, boost::hash<Key>, std::equal_to<Key>,
                                                 huge_pages::Allocator<std::pair<const Key, Value>, huge_pages::Stay::passing>>;

template <typename Key>
using HashSet = boost::unordered_flat_set<Key>;

}  // namespace memspan
