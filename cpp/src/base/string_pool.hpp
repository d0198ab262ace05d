// Strings that many records share (sessions, speakers), stored once and dropped with their last user.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.hpp"

namespace memspan {

class StringPool {
 public:
  using Symbol = uint32_t;
  static constexpr Symbol kNone = std::numeric_limits<Symbol>::max();

  // Takes one reference. The empty string is kNone.
  Symbol acquire(std::string_view text) {
    if (text.empty()) return kNone;
    if (const auto found = symbols_.find(text); found != symbols_.end()) {
      ++entries_[found->second].references;
      return found->second;
    }
    Symbol symbol;
    if (free_.empty()) {
      symbol = static_cast<Symbol>(entries_.size());
      entries_.push_back({std::string(text), 1});
    } else {
      symbol = free_.back();
      free_.pop_back();
      entries_[symbol] = {std::string(text), 1};
    }
    symbols_.emplace(std::string(text), symbol);
    return symbol;
  }

  // Gives one reference back; the last one erases the text.
  void release(Symbol symbol) {
    if (symbol == kNone || --entries_[symbol].references != 0) return;
    symbols_.erase(entries_[symbol].text);
    entries_[symbol].text = std::string();
    free_.push_back(symbol);
  }

  std::string_view text(Symbol symbol) const {
    return symbol == kNone ? std::string_view() : std::string_view(entries_[symbol].text);
  }

  size_t size() const { return symbols_.size(); }
  size_t bytes() const {
    size_t total = entries_.capacity() * sizeof(Entry) + symbols_.size() * (sizeof(std::string) + 8);
    for (const Entry& entry : entries_) total += 2 * entry.text.capacity();
    return total;
  }

 private:
  struct Entry {
    std::string text;
    uint32_t references = 0;
  };
  std::vector<Entry> entries_;
  std::vector<Symbol> free_;
  StringMap<Symbol> symbols_;
};

}  // namespace memspan
