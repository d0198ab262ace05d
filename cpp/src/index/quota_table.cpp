#include "index/quota_table.hpp"

#include <algorithm>

namespace memspan {
namespace {

// u8 order of eviction, u32 capacity for each kind.
void put_quotas(ByteWriter& out, const Quotas& quotas) {
  out.put<uint8_t>(static_cast<uint8_t>(quotas.eviction));
  out.put_each<uint32_t>(kKindCount, [&](size_t kind) { return quotas.capacities[kind]; });
}

Quotas get_quotas(ByteReader& in) {
  Quotas quotas;
  const auto eviction = in.get<uint8_t>();
  in.check(eviction < kEvictionNames.size(), "an unknown order of eviction");
  quotas.eviction = static_cast<Eviction>(eviction);
  in.get_each(std::span<uint32_t>(quotas.capacities));
  return quotas;
}

}  // namespace

Quotas QuotaTable::of(std::string_view user) const {
  if (!any_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  if (const auto found = own_.find(user); found != own_.end()) return found->second;
  return of_others_.value_or(Quotas());
}

std::optional<Quotas> QuotaTable::own(std::optional<std::string_view> user) const {
  const std::lock_guard lock(mutex_);
  if (!user) return of_others_;
  const auto found = own_.find(*user);
  return found == own_.end() ? std::nullopt : std::optional<Quotas>(found->second);
}

void QuotaTable::set(std::optional<std::string_view> user, const std::optional<Quotas>& quotas) {
  if (user && !quotas && !any_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  if (!user) {
    of_others_ = quotas;
  } else if (quotas) {
    own_.insert_or_assign(std::string(*user), *quotas);
  } else if (const auto found = own_.find(*user); found != own_.end()) {
    own_.erase(found);
  }
  any_.store(of_others_.has_value() || !own_.empty(), std::memory_order_relaxed);
}

// u8 whether everybody else has quotas, and these; u64 users with their own, and for each of them, by name: text name,
// quotas.
void QuotaTable::save(ByteWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.put<uint8_t>(of_others_.has_value());
  if (of_others_) put_quotas(out, *of_others_);
  std::vector<std::string_view> names;
  for (const auto& [name, quotas] : own_) names.push_back(name);
  std::sort(names.begin(), names.end());
  out.put<uint64_t>(names.size());
  for (const std::string_view name : names) {
    out.put_text(name);
    put_quotas(out, own_.find(name)->second);
  }
}

void QuotaTable::load(ByteReader& in) {
  const auto others = in.get<uint8_t>();
  in.check(others <= 1, "a flag is neither 0 nor 1");
  if (others == 1) set(std::nullopt, get_quotas(in));
  const uint64_t count = in.get_count(sizeof(uint32_t) + sizeof(uint8_t) + kKindCount * sizeof(uint32_t));
  std::string before;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string name(in.get_text(limits::kNameBytes));
    in.check(before < name, "users with quotas are not in order");
    set(name, get_quotas(in));
    before = name;
  }
}

}  // namespace memspan
