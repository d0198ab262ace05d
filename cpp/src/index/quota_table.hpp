// The quotas of an index: those of users who have their own, and those of everybody else.
//
// Thread safety: every member function may be called from any thread. O(1); next to nothing where nobody has quotas.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash_map.hpp"
#include "memspan/quotas.hpp"

namespace memspan {

class QuotaTable {
 public:
  // What holds for the user.
  Quotas of(std::string_view user) const;
  // What was set: nothing for a user without quotas of its own, or without a user where nobody else has any.
  std::optional<Quotas> own(std::optional<std::string_view> user) const;
  // Nothing: none of its own any more. Without a user: for everybody without quotas of their own.
  void set(std::optional<std::string_view> user, const std::optional<Quotas>& quotas);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> any_ = false;
  std::optional<Quotas> of_others_;
  StringMap<Quotas> own_;
};

}  // namespace memspan
