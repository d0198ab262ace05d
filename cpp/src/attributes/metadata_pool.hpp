// The metadata of records, as parsed objects: those that are equal are kept once, since what a program notes of its records
// (who wrote it, in which run) is mostly the same for many.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: the object and about 32 bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "attributes/json.hpp"
#include "base/chunked_vector.hpp"
#include "base/hash_cells.hpp"
#include "base/hash_map.hpp"
#include "base/prefetch.hpp"

namespace memspan {

class MetadataPool {
 public:
  using Symbol = uint32_t;
  static constexpr Symbol kNone = 0;  // stands for the empty object

  MetadataPool() { entries_.push_back(Entry{std::make_unique<json::object>()}); }

  // Takes one reference. `text` is what the object was parsed from: equal objects of other texts may be kept apart. If
  // that throws, nothing has changed.
  Symbol acquire(std::string_view text, json::object object) {
    if (object.empty()) return kNone;
    const uint64_t hash = StringHash()(text);
    const Symbol known = cells_.find(hash, [&](Symbol symbol) { return *entries_[symbol].object == object; });
    if (known != HashCells::kNone) {
      ++entries_[known].references;
      return known;
    }
    if (free_ == kNone) {
      entries_.push_back({});
      free_ = static_cast<Symbol>(entries_.size() - 1);
    }
    auto kept = std::make_unique<json::object>(std::move(object));
    const Symbol symbol = free_;
    cells_.put(hash, symbol, KeptHash{*this});
    Entry& entry = entries_[symbol];
    free_ = entry.references;
    object_bytes_ += json_bytes(*kept);
    entry = {.object = std::move(kept), .hash = hash, .references = 1};
    return symbol;
  }

  // One more.
  Symbol share(Symbol symbol) noexcept {
    if (symbol != kNone) ++entries_[symbol].references;
    return symbol;
  }
  // Gives one reference back; the last one erases the object.
  void release(Symbol symbol) noexcept {
    if (symbol == kNone || --entries_[symbol].references != 0) return;
    Entry& entry = entries_[symbol];
    object_bytes_ -= json_bytes(*entry.object);
    cells_.erase(entry.hash, symbol, KeptHash{*this});
    entry.object.reset();
    entry.references = free_;
    free_ = symbol;
  }

  // Of a symbol in use. Valid until the next change.
  const json::object& object(Symbol symbol) const { return *entries_[symbol].object; }

  // Calls use(symbol, object) for each symbol in use but kNone.
  template <typename Use>
  void for_each(Use use) const {
    for (Symbol symbol = kNone + 1; symbol < entries_.size(); ++symbol) {
      if (entries_[symbol].object) use(symbol, *entries_[symbol].object);
    }
  }

  // All symbols are less than that.
  size_t symbols() const { return entries_.size(); }
  size_t bytes() const { return sizeof(MetadataPool) + entries_.bytes() + cells_.bytes() + object_bytes_; }

 private:
  struct Entry {
    std::unique_ptr<json::object> object;  // null: a free symbol
    uint64_t hash = 0;
    uint32_t references = kNone;  // of a free symbol: the next free one
  };
  // Objects have no text any more.
  struct KeptHash {
    const MetadataPool& pool;
    uint64_t operator()(Symbol symbol) const { return pool.entries_[symbol].hash; }
    void prefetch(Symbol symbol) const { prefetch_line(&pool.entries_[symbol]); }
  };

  ChunkedVector<Entry> entries_;
  HashCells cells_;
  Symbol free_ = kNone;
  size_t object_bytes_ = 0;
};

}  // namespace memspan
